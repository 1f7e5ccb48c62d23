import { enliven } from './enliven.ts';

// What /landing.js runs on the public pages, which are documents: nothing of React is loaded there.
enliven();
