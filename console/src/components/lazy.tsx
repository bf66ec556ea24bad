// A component whose code is loaded at its first use.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorBox, Loading } from './ui';

export function lazy<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): ComponentType<P> {
  let ready: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const [, draw] = useState(0);
    const [error, setError] = useState<Error>();
    useEffect(() => {
      if (ready) return;
      load().then((module) => {
        ready = module.default;
        draw((n) => n + 1);
      }, setError);
    }, []);
    if (ready) {
      const Ready = ready;
      return <Ready {...props} />;
    }
    return error ? <ErrorBox error={error} retry={() => location.reload()} /> : <Loading />;
  };
}
