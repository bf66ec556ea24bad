// What the user chooses for this browser, and what runs on the server.
import { get, remove } from '../api/client';
import { useResource } from '../api/resource';
import type { Version } from '../api/types';
import { Button, Card, Facts, Page } from '../components/ui';
import { formatDate } from '../format';
import { t } from '../i18n';
import { setPreferences, usePreferences, type Language, type Theme } from '../preferences';
import { navigate } from '../router';

const timeZones = () => Intl.supportedValuesOf('timeZone');

export default function Settings() {
  const { language, theme, timeZone } = usePreferences();
  const { data: version } = useResource('version', (signal) => get<Version>('/version', signal));
  const signOut = async () => {
    await remove('/console/session');
    navigate('/signin');
  };
  return (
    <Page title={t('nav.settings')}>
      <div class="cards">
        <Card title={t('settings.view')}>
          <div class="form">
            <label>{t('settings.language')}
              <select value={language} onChange={(event) => setPreferences({ language: event.currentTarget.value as Language })}>
                <option value="zh">简体中文</option><option value="en">English</option>
              </select>
            </label>
            <label>{t('settings.theme')}
              <select value={theme} onChange={(event) => setPreferences({ theme: event.currentTarget.value as Theme })}>
                {(['auto', 'light', 'dark'] as const).map((each) => <option key={each} value={each}>{t(`theme.${each}`)}</option>)}
              </select>
            </label>
            <label>{t('settings.timeZone')}
              <select value={timeZone} onChange={(event) => setPreferences({ timeZone: event.currentTarget.value })}>
                <option value="">{t('settings.browserZone')}</option>
                {['UTC', ...timeZones().filter((zone) => zone !== 'UTC')].map((zone) => <option key={zone} value={zone}>{zone}</option>)}
              </select>
              <small class="dim">{formatDate(Date.now())}</small>
            </label>
          </div>
        </Card>
        <Card title={t('settings.session')}>
          <p>{t('settings.sessionNote')}</p>
          <Button icon="exit" onClick={signOut}>{t('settings.signOut')}</Button>
        </Card>
        <Card title={t('settings.keys')}>
          <table class="keys"><tbody>
            {(['overview', 'jobs', 'new', 'compare', 'nodes', 'buckets', 'settings'] as const).map((place, at) => (
              <tr key={place}><td><kbd>g</kbd> <kbd>{'ojncdbs'[at]}</kbd></td><td>{t(`nav.${place}`)}</td></tr>
            ))}
            <tr><td><kbd>/</kbd></td><td>{t('settings.keySearch')}</td></tr>
          </tbody></table>
        </Card>
        <Card title={t('settings.server')}>
          <Facts rows={[[t('settings.version'), version && `${version.name} ${version.version}`], [t('settings.commit'), version && <code>{version.commit}</code>], [t('settings.built'), version?.build_date]]} />
          <p><a href="/api/v1/openapi.json" target="_blank" rel="noreferrer">OpenAPI</a> · <a href="/api/v1/schema/job.json" target="_blank" rel="noreferrer">{t('settings.schema')}</a></p>
        </Card>
      </div>
    </Page>
  );
}
