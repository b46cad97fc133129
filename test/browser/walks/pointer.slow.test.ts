/** The three users work at a desk. The screen is 1,440 px wide and in light mode, and they use a pointer. */
import { it } from 'vitest';
import { openWalks } from './open-walks.ts';
import { AT_A_DESK } from './visitor.ts';
import { walkAll } from './walk-all.ts';

const TIMEOUT_MS = 600_000;
const walks = openWalks(TIMEOUT_MS);

it(
  'leads a person who sets up, a fundraiser and a director to their goals, at a desk with the pointer',
  async () => {
    await walkAll(walks.browser(), await walks.open('salesforce'), AT_A_DESK);
  },
  TIMEOUT_MS,
);
