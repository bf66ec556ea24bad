// Sign-in with the token of the server.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, post } from '../api/client';
import { Logo } from '../components/icons';
import { Button, messageOf } from '../components/ui';
import { t } from '../i18n';
import { navigate, useLocation } from '../router';

// Back to the page that asked; never to another site.
export function safeNext(next: string | null): string {
  return next && /^\/(?![/\\])/.test(next) ? next : '/';
}

export function SignIn({ choices }: { choices: ComponentChildren }) {
  const { query } = useLocation();
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await post('/console/session', { token: token.trim() });
      navigate(safeNext(query.get('next')), true);
    } catch (failure) {
      setError(failure as Error);
      setBusy(false);
    }
  };
  const wrong = error instanceof ApiError && error.status === 401;
  return (
    <div class="signin">
      <form class="card" onSubmit={submit}>
        <div class="brand"><Logo size={40} /><span>Muster</span></div>
        <h1>{t('signin.title')}</h1>
        {query.get('link') === 'expired' && <p class="notice warn">{t('signin.expired')}</p>}
        <label>
          {t('signin.token')}
          <input type="password" autocomplete="current-password" autofocus required value={token} aria-invalid={wrong}
            onInput={(event) => setToken(event.currentTarget.value)} />
        </label>
        {error && <p class="notice bad" role="alert">{wrong ? t('signin.wrong') : messageOf(error)}</p>}
        <Button look="primary" type="submit" busy={busy} disabled={!token.trim()}>{t('signin.go')}</Button>
        <p class="dim">{t('signin.hint')} <code>muster open</code></p>
        {choices}
      </form>
    </div>
  );
}
