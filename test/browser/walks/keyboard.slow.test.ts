/** Walks of the three people on a phone: 375 px wide, dark mode, keyboard only. */
import { it } from 'vitest';
import { openWalks } from './open-walks.ts';
import { ON_A_PHONE } from './visitor.ts';
import { walkAll } from './walk-all.ts';

const TIMEOUT_MS = 600_000;
const walks = openWalks(TIMEOUT_MS);

it(
  'leads a person who sets up, a fundraiser and a director to their goals, at 375 px with the keyboard alone',
  async () => {
    await walkAll(walks.browser(), await walks.open('csv'), ON_A_PHONE);
  },
  TIMEOUT_MS,
);
