/** Checks whether a user can see which element has the keyboard focus. */
import type { Page } from 'playwright-core';
import { z } from 'zod';

/** The source of a script that describes the focused element. */
const DESCRIBE_FOCUS = `(element) => {
  const isNone = element === null || element === document.body;
  if (isNone) return { text: '', isNone, isMarked: true, isInView: true, isCovered: false };
  // What a label stands for may be shown by it.
  const shown = [element, element.closest('label'), element.parentElement].filter(Boolean);
  const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
  const inView = (at, most) => Math.min(Math.max(at, 1), most - 1);
  // A link in a text can have several lines.
  const lines = [...element.getClientRects()].map((line) => document.elementFromPoint(
    inView((line.left + line.right) / 2, innerWidth), inView((line.top + line.bottom) / 2, innerHeight)));
  const above = lines[0] ?? null;
  const isOwn = lines.length === 0 || lines.some((at) =>
    at === null || shown.some((one) => one.contains(at) || at.contains(one)));
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
}`;

const focusSchema = z.object({
  text: z.string(),
  isNone: z.boolean(),
  isMarked: z.boolean(),
  isInView: z.boolean(),
  isCovered: z.boolean(),
});

/** Describes the element that has the focus. */
export async function describeFocus(page: Page): Promise<z.infer<typeof focusSchema>> {
  return focusSchema.parse(await page.evaluate(`(${DESCRIBE_FOCUS})(document.activeElement)`));
}

/**
 * The source of a script that moves the focus to each focusable element, as the Tab key does. With the option
 * `focusVisible`, the browser treats the focus as a focus by the keyboard. The script skips elements that cannot
 * receive the focus, for example below an open dialog.
 */
const FIND_HIDDEN_FOCUS = `(() => {
  const describe = ${DESCRIBE_FOCUS};
  const before = document.activeElement;
  const scroll = [scrollX, scrollY];
  // An open list closes when the focus leaves its field.
  const isOpen = before?.getAttribute('aria-expanded') === 'true' && before.getAttribute('role') === 'combobox';
  const all = isOpen ? [before] : document.querySelectorAll('a[href], button, input, select, textarea, summary, iframe, [tabindex]');
  const found = [];
  let count = 0;
  for (const element of all) {
    if (element.disabled || element.tabIndex < 0 || !element.checkVisibility({ visibilityProperty: true })) continue;
    element.focus({ focusVisible: true });
    if (document.activeElement !== element) continue;
    count += 1;
    const { text, isMarked, isInView, isCovered } = describe(element);
    if (!isMarked) found.push('no visible focus: ' + text);
    if (!isInView) found.push('the focus is out of view: ' + text);
    if (isCovered) found.push('the focus is covered: ' + text);
  }
  if (isOpen) return { found, count };
  if (before instanceof HTMLElement && before !== document.body) before.focus();
  else document.activeElement?.blur?.();
  scrollTo(...scroll);
  return { found, count };
})()`;

const foundSchema = z.object({ found: z.array(z.string()), count: z.number() });

/** Returns the elements whose focus is not visible to a keyboard user, and the number of elements that were checked. */
export async function findHiddenFocus(page: Page): Promise<z.infer<typeof foundSchema>> {
  return foundSchema.parse(await page.evaluate(FIND_HIDDEN_FOCUS));
}
