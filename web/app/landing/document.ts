import { enliven } from './enliven.ts';

// The script of the public pages, which are documents: nothing of React is loaded there.
enliven();
