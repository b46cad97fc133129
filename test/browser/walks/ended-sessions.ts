/** Simulates a user whose session ends each time before a form is sent. */
import { setTimeout } from 'node:timers/promises';
import type { Locator, Route } from 'playwright-core';
import { expect } from 'vitest';
import type { Account } from './accounts.ts';
import { untilSent } from './hands.ts';
import type { Visitor } from './visitor.ts';

export interface EndedSessions {
  visitor: Visitor;
  /** The buttons whose forms were automatically sent again after the user had signed in. */
  repeated: Set<string>;
  /** The buttons that the user had to press again. */
  pressedAgain: Set<string>;
  /** From now on, ends the session before each form is sent. */
  start(): void;
}

/** The time (ms) in which responses that are on their way arrive. */
const IN_FLIGHT_MS = 100;

const NOT_SENT = 'Nothing was sent yet. To send it, press';

/** Ends the session before each form is sent. The user signs in again above the form each time. */
export function endBeforeEachSubmit(visitor: Visitor, who: Account): EndedSessions {
  const { page, context, hands } = visitor;
  const repeated = new Set<string>();
  const pressedAgain = new Set<string>();
  let isStarted = false;
  return {
    ...{ repeated, pressedAgain },
    start() {
      isStarted = true;
    },
    visitor: { ...visitor, hands: { ...hands, press } },
  };

  async function press(target: Locator): Promise<void> {
    await untilSent(page);
    if (!isStarted || !(await isSubmit(target))) return hands.press(target);
    const label = await toLabel(target);
    // A page that refreshes itself between these two steps would already show the sign-in page. The test of ended
    // sessions covers that case.
    await page.route('**/*', answerRefresh);
    await endSession();
    await page.evaluate('window.isBefore = true');
    await hands.press(target);
    await page.unroute('**/*', answerRefresh);
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await expect
      .poll(async () => (await dialog.isVisible()) || (await isAnotherPage()), { interval: 50 })
      .toBe(true);
    // A late response has brought the session back, so the form was sent as usual.
    if (!(await dialog.isVisible())) return untilSent(page);
    await hands.type(dialog.getByLabel('E-mail'), who.email);
    await hands.type(dialog.getByLabel('Password'), who.password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    const told = page.getByText(NOT_SENT);
    await expect
      .poll(async () => (await told.isVisible()) || (await isAnotherPage()), { interval: 50 })
      .toBe(true);
    if (await isAnotherPage()) {
      repeated.add(label);
      await untilSent(page);
      return;
    }
    pressedAgain.add(label);
    await hands.press(target);
  }

  /** Deletes the session's cookie. A response that is still on its way can set the cookie again. */
  async function endSession(): Promise<void> {
    do {
      await context.clearCookies();
      await setTimeout(IN_FLIGHT_MS);
    } while ((await context.cookies()).length > 0);
  }

  /** While a page is being replaced, it cannot be examined. */
  async function isAnotherPage(): Promise<boolean> {
    return page.evaluate<boolean>('window.isBefore !== true').catch(() => false);
  }
}

/** Answers a refresh with an empty page, which changes nothing. Passes all other requests on. */
function answerRefresh(route: Route): Promise<void> {
  const isRefresh = route.request().headers()['x-refresh'] !== undefined;
  return isRefresh ? route.fulfill({ status: 204 }) : route.fallback();
}

/** Returns the button's label. Marks the label if the button only opens a preview. */
async function toLabel(target: Locator): Promise<string> {
  const words = ((await target.textContent()) ?? '').trim();
  const isPreview = await target.evaluate(
    (element) => element.closest('form[action$="/preview"]') !== null,
  );
  return isPreview ? `${words} (preview)` : words;
}

/**
 * Returns true if the target sends a form that changes something. Before the user has signed in, no session can end.
 */
function isSubmit(target: Locator): Promise<boolean> {
  return target.evaluate((element) =>
    element.matches(
      'form[method="post"]:not([action^="/sign-in"]) :is(button[type="submit"], button:not([type]))',
    ),
  );
}
