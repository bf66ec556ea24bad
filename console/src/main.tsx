import { render } from 'preact';
import './app.css';
import { App } from './app';
import { applyPreferences, followOtherPages } from './preferences';
import { followLinks } from './router';

applyPreferences();
followOtherPages();
followLinks();
render(<App />, document.getElementById('app')!);
