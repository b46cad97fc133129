/** The ways in which a person operates a page: with the pointer, or with the keyboard alone. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { z } from 'zod';

/** The movements that the walks consist of. */
export interface Hands {
  /** Presses a button or follows a link. */
  press(target: Locator): Promise<void>;
  /** Replaces the content of a field. */
  type(field: Locator, text: string): Promise<void>;
  /** Chooses the option of a list whose text starts like this. */
  choose(list: Locator, option: string): Promise<void>;
  /** Ticks a box that is not ticked yet. */
  tick(box: Locator): Promise<void>;
  /** Chooses a file of this computer. */
  pickFile(field: Locator, path: string): Promise<void>;
}

/** The page first checks whether the session has ended, and then sends a form. */
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
      await list.selectOption({ index: (await findOption(list, option)).index });
    },
    tick: (box) => box.check(),
    pickFile: (field, path) => field.setInputFiles(path),
  };
}

/** Uses Tab, Enter, Space, the arrows and letters, and checks that the focus is visible wherever it goes. */
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

async function findOption(list: Locator, text: string) {
  const texts = await list.locator('option').allTextContents();
  const current = texts.indexOf((await list.locator('option:checked').textContent()) ?? '');
  const index = texts.findIndex((option) => option.trim().startsWith(text));
  if (index < 0) throw new Error(`No option starts with "${text}".`);
  return { index, current };
}

/** After that time at most, the browser has scrolled to the element with the focus. */
const SHOWN_MS = 5_000;

/** No page has this many focusable elements. */
const MOST_STEPS = 500;

const focusSchema = z.object({
  text: z.string(),
  isNone: z.boolean(),
  isMarked: z.boolean(),
  isInView: z.boolean(),
  isCovered: z.boolean(),
});

/** The element with the keyboard focus, and whether a user sees that it has the focus. */
const FOCUS = `(() => {
  const element = document.activeElement;
  const isNone = element === null || element === document.body;
  if (isNone) return { text: '', isNone, isMarked: true, isInView: true, isCovered: false };
  // What a label stands for may be shown by it.
  const shown = [element, element.closest('label'), element.parentElement].filter(Boolean);
  const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
  const inView = (at, most) => Math.min(Math.max(at, 1), most - 1);
  const point = [inView((left + right) / 2, innerWidth), inView((top + bottom) / 2, innerHeight)];
  const above = document.elementFromPoint(...point);
  const isOwn = above === null || shown.some((one) => one.contains(above) || above.contains(one));
  return {
    text: [element.outerHTML.slice(0, 160), 'at', top, 'of', innerHeight, 'below', above?.outerHTML.slice(0, 80)].join(' '),
    isNone,
    // The browser marks the button of its own calendar, which a page cannot see.
    isMarked: element.type === 'date' || shown.some((one) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1;
    }),
    isInView: bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
    // A long element may extend behind something; then its middle is enough.
    isCovered: width > 1 && height > 1 && !isOwn,
  };
})()`;

async function look(page: Page) {
  return focusSchema.parse(await page.evaluate(FOCUS));
}

/** Presses Tab until the focus is there, and checks each element on the way. */
export async function moveFocus(page: Page, place: Locator): Promise<void> {
  // A form that was sent is answered by another page.
  await untilSent(page);
  await place.waitFor();
  if (await hasFocus(place)) return;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    await page.keyboard.press('Tab');
    const { text, isNone } = await look(page);
    if (isNone) continue;
    // In the next frame, the browser scrolls to an element that is out of view.
    await expect
      .poll(() => look(page), { message: text, interval: 20, timeout: SHOWN_MS })
      .toMatchObject({ isMarked: true, isInView: true, isCovered: false });
    if (await hasFocus(place)) return;
  }
  throw new Error(`No Tab leads to ${place}.`);
}

function hasFocus(place: Locator): Promise<boolean> {
  return place.evaluate((element) => element === element.ownerDocument.activeElement);
}
