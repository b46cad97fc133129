/** The two ways to operate a page: with the pointer, or with the keyboard alone. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { describeFocus } from '../focus.ts';

/** The actions that a simulated user can perform. */
export interface Hands {
  /** Presses a button or follows a link. */
  press(target: Locator): Promise<void>;
  /** Replaces the content of a field. */
  type(field: Locator, text: string): Promise<void>;
  /** Chooses the option whose text starts with this string. */
  choose(list: Locator, option: string): Promise<void>;
  /** Ticks a box that is not ticked yet. */
  tick(box: Locator): Promise<void>;
  /** Chooses a file on this computer. */
  pickFile(field: Locator, path: string): Promise<void>;
}

/** Waits until a form is sent. Before that, the page checks whether the session has ended. */
export async function untilSent(page: Page): Promise<void> {
  await page.locator('html:not([data-sending])').waitFor({ state: 'attached' });
  await page.waitForLoadState();
}

export function createPointer(page: Page): Hands {
  return {
    async press(target) {
      await target.click();
      await untilSent(page);
    },
    async type(field, text) {
      await field.click();
      await field.fill(text);
    },
    async choose(list, option) {
      if (await isCombobox(list)) {
        await list.click();
        await list.fill(option);
        await findListbox(page).getByRole('option').first().click();
        return;
      }
      await list.selectOption({ index: (await findOption(list, option)).index });
    },
    tick: (box) => box.check(),
    pickFile: (field, path) => field.setInputFiles(path),
  };
}

/** Uses Tab, Enter, Space, the arrows and letters. Checks that the focus is visible on each element. */
export function createKeyboard(page: Page): Hands {
  const { keyboard } = page;
  return {
    async press(target) {
      await moveFocus(page, target);
      await keyboard.press('Enter');
      await untilSent(page);
    },
    async type(field, text) {
      await moveFocus(page, field);
      await keyboard.press('Control+a');
      await keyboard.type(text);
    },
    async choose(list, option) {
      await moveFocus(page, list);
      if (await isCombobox(list)) {
        await keyboard.press('Control+a');
        await keyboard.type(option);
        await findListbox(page).waitFor();
        await keyboard.press('ArrowDown');
        await keyboard.press('Enter');
        return;
      }
      const { index, current } = await findOption(list, option);
      const key = index > current ? 'ArrowDown' : 'ArrowUp';
      for (let step = 0; step < Math.abs(index - current); step += 1) await keyboard.press(key);
      expect((await findOption(list, option)).current).toBe(index);
    },
    async tick(box) {
      await moveFocus(page, box);
      if (!(await box.isChecked())) await keyboard.press('Space');
    },
    async pickFile(field, path) {
      const chosen = Promise.withResolvers<void>();
      page.once('filechooser', (chooser) =>
        chooser.setFiles(path).then(chosen.resolve, chosen.reject),
      );
      await moveFocus(page, field);
      await keyboard.press('Space');
      await chosen.promise;
    },
  };
}

/** A long list is a field in which users choose by typing. */
async function isCombobox(list: Locator): Promise<boolean> {
  return (await list.getAttribute('role')) === 'combobox';
}

/** Only one list is open at a time. */
function findListbox(page: Page): Locator {
  return page.getByRole('listbox').and(page.locator(':popover-open'));
}

async function findOption(list: Locator, text: string) {
  const texts = await list.locator('option').allTextContents();
  const current = texts.indexOf((await list.locator('option:checked').textContent()) ?? '');
  const index = texts.findIndex((option) => option.trim().startsWith(text));
  if (index < 0) throw new Error(`No option starts with "${text}".`);
  return { index, current };
}

/** The time (ms) in which the browser must scroll to the focused element. */
const SHOWN_MS = 5_000;

/** The maximum number of key presses. No page has this number of focusable elements. */
const MOST_STEPS = 500;

/** Presses Tab until the element has the focus, and checks each focused element. */
export async function moveFocus(page: Page, place: Locator): Promise<void> {
  // After a form is sent, the browser may still have to load the next page.
  await untilSent(page);
  await place.waitFor();
  if (await hasFocus(place)) return;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    await page.keyboard.press('Tab');
    const { text, isNone } = await describeFocus(page);
    if (isNone) continue;
    // If an element is out of view, the browser scrolls to it in the next frame.
    await expect
      .poll(() => describeFocus(page), { message: text, interval: 20, timeout: SHOWN_MS })
      .toMatchObject({ isMarked: true, isInView: true, isCovered: false });
    if (await hasFocus(place)) return;
  }
  throw new Error(`No Tab leads to ${place}.`);
}

function hasFocus(place: Locator): Promise<boolean> {
  return place.evaluate((element) => element === element.ownerDocument.activeElement);
}
