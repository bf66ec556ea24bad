// The job file of a job, as it can be submitted again.
import type { Job } from '../api/types';
import { CopyButton } from '../components/ui';
import { t } from '../i18n';
import { textOfSpec } from '../yaml/jobfile';

export default function JobFile({ job }: { job: Job }) {
  const text = textOfSpec(job.spec);
  return (
    <div class="file-view">
      <div class="toolbar"><CopyButton text={text} label={t('common.copy')} /><a class="button" href={`/new?from=${job.id}`}>{t('job.edit')}</a></div>
      <pre class="code">{text}</pre>
    </div>
  );
}
