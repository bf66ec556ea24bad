// The plan of a job: what its ranks get when all nodes are free.
import { post } from '../api/client';
import { useResource } from '../api/resource';
import type { Job, Plan } from '../api/types';
import { PlanView } from '../components/plan';
import { ErrorBox, Loading } from '../components/ui';
import { t } from '../i18n';

export default function JobPlan({ job }: { job: Job }) {
  const { data, error } = useResource(`plan ${job.id}`, () => {
    const { muster: _, ...spec } = job.spec;
    return post<Plan>('/plan', { spec });
  });
  if (error) return <ErrorBox error={error} />;
  if (!data) return <Loading />;
  return <><p class="dim">{t('plan.note')}</p><PlanView plan={data} /></>;
}
