// The frame around every page: navigation, language, theme, and the state of the connection.
import { Component, type ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { onSignedOut } from './api/client';
import { connect, isConnected, onState, retry } from './api/events';
import { Icon, Logo, type IconName } from './components/icons';
import { lazy } from './components/lazy';
import { Button, Empty, ErrorBox, Toasts } from './components/ui';
import { t, type Key } from './i18n';
import { isDark, setPreferences, usePreferences } from './preferences';
import { navigate, useLocation } from './router';
import { SignIn } from './pages/signin';

const Overview = lazy(() => import('./pages/overview'));
const Jobs = lazy(() => import('./pages/jobs'));
const JobPage = lazy<{ id: number }>(() => import('./pages/job'));
const NewJob = lazy(() => import('./pages/new'));
const Nodes = lazy(() => import('./pages/nodes'));
const Buckets = lazy(() => import('./pages/buckets'));
const Compare = lazy(() => import('./pages/compare'));
const Settings = lazy(() => import('./pages/settings'));

const places: { href: string; label: Key; icon: IconName; key: string }[] = [
  { href: '/', label: 'nav.overview', icon: 'overview', key: 'o' },
  { href: '/jobs', label: 'nav.jobs', icon: 'jobs', key: 'j' },
  { href: '/new', label: 'nav.new', icon: 'plus', key: 'n' },
  { href: '/compare', label: 'nav.compare', icon: 'compare', key: 'c' },
  { href: '/nodes', label: 'nav.nodes', icon: 'nodes', key: 'd' },
  { href: '/buckets', label: 'nav.buckets', icon: 'buckets', key: 'b' },
  { href: '/settings', label: 'nav.settings', icon: 'settings', key: 's' },
];

function PageOf({ path }: { path: string }) {
  const job = /^\/jobs\/(\d+)$/.exec(path);
  if (job) return <JobPage key={job[1]} id={Number(job[1])} />;
  switch (path) {
    case '/': return <Overview />;
    case '/jobs': return <Jobs />;
    case '/new': return <NewJob />;
    case '/nodes': return <Nodes />;
    case '/buckets': return <Buckets />;
    case '/compare': return <Compare />;
    case '/settings': return <Settings />;
    default: return <Empty><p>{t('common.noPage')}</p><a href="/">{t('nav.overview')}</a></Empty>;
  }
}

// A page that fails shows its error; the navigation stays usable.
class Boundary extends Component<{ children: ComponentChildren }, { error?: Error }> {
  static override getDerivedStateFromError(error: Error) {
    return { error };
  }
  override componentDidCatch(error: Error) {
    reportError(error);
  }
  override render() {
    return this.state.error ? <ErrorBox error={this.state.error} retry={() => location.reload()} /> : this.props.children;
  }
}

function Connection() {
  const [connected, set] = useState(isConnected);
  useEffect(() => onState(set), []);
  // Nothing is said before the first answer.
  if (connected !== false) return null;
  return (
    <div class="lost" role="alert">
      <span class="spinner" />{t('connection.lost')}
      <Button look="ghost" onClick={retry}>{t('common.retry')}</Button>
    </div>
  );
}

function Choices() {
  const { language, theme } = usePreferences();
  const dark = theme === 'dark' || (theme === 'auto' && isDark());
  return (
    <div class="choices">
      <Button look="ghost" icon={dark ? 'sun' : 'moon'} aria-label={t(dark ? 'theme.toLight' : 'theme.toDark')} title={t(dark ? 'theme.toLight' : 'theme.toDark')}
        onClick={() => setPreferences({ theme: dark ? 'light' : 'dark' })} />
      <Button look="ghost" lang={language === 'zh' ? 'en' : 'zh-CN'} onClick={() => setPreferences({ language: language === 'zh' ? 'en' : 'zh' })}>
        {language === 'zh' ? 'English' : '简体中文'}
      </Button>
    </div>
  );
}

// g then a letter goes to a page, / to the search field.
function useShortcuts() {
  useEffect(() => {
    let armed = 0;
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, textarea, select, dialog')) return;
      if (event.key === '/') {
        const field = document.querySelector<HTMLInputElement>('input[type=search]');
        if (field) {
          event.preventDefault();
          field.focus();
        }
      } else if (event.key === 'g') {
        armed = Date.now();
      } else if (Date.now() - armed < 1500) {
        const place = places.find((each) => each.key === event.key);
        if (place) navigate(place.href);
        armed = 0;
      }
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

function Frame({ path }: { path: string }) {
  useEffect(connect, []);
  useShortcuts();
  const current = places.find((place) => (place.href === '/' ? path === '/' : path.startsWith(place.href)));
  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>{t('nav.skip')}</a>
      <aside class="side">
        <a class="brand" href="/"><Logo /><span>Muster</span></a>
        <nav aria-label={t('nav.label')}>
          {places.map((place) => (
            <a key={place.href} href={place.href} aria-current={place === current ? 'page' : undefined} title={`${t(place.label)} (g ${place.key})`}>
              <Icon name={place.icon} /><span>{t(place.label)}</span>
            </a>
          ))}
        </nav>
        <Choices />
      </aside>
      <main id="main" tabIndex={-1}>
        <Connection />
        <Boundary key={path}><PageOf path={path} /></Boundary>
      </main>
      <Toasts />
    </div>
  );
}

export function App() {
  const { path } = useLocation();
  usePreferences();
  useEffect(() => onSignedOut(() => {
    if (location.pathname !== '/signin') navigate(`/signin?next=${encodeURIComponent(location.pathname + location.search)}`, true);
  }), []);
  return path === '/signin' ? <SignIn choices={<Choices />} /> : <Frame path={path} />;
}
