import type { CrmField } from '../core/crm-field.ts';
import type { Fit } from './fit.ts';

/** Stands where a text was cut. */
const ELLIPSIS = '…';

/** Company names hold commas, so a list needs another mark between its items. */
const ITEM_SEPARATOR = '; ';

/** Fits a text that would be false if it were cut. */
export function fitLine(text: string, field: CrmField): Fit {
  const value = arranged(text, field);
  if (value === '') return blank(field);
  return fitsLength(value, field) ? { fits: true, value } : tooLong(value, field);
}

/** Fits prose, cut after a word if it is too long. */
export function fitProse(text: string, field: CrmField): Fit {
  const value = arranged(text, field);
  if (value === '') return blank(field);
  if (fitsLength(value, field)) return { fits: true, value };
  const cut = cutAfterWord(value, field);
  return cut === null ? tooLong(value, field) : { fits: true, value: cut };
}

/** Fits a list as one text, cut after an item, or within the first one if need be. */
export function fitItems(items: readonly string[], field: CrmField): Fit {
  for (let kept = items.length; kept > 0; kept -= 1) {
    const more = kept < items.length ? [ELLIPSIS] : [];
    const fit = fitLine([...items.slice(0, kept), ...more].join(ITEM_SEPARATOR), field);
    if (fit.fits) return fit;
  }
  return fitProse(items[0] ?? '', field);
}

/** True if the text is not longer than the field allows. */
export function fitsLength(text: string, field: CrmField): boolean {
  return field.maxLength === null || storedLength(text) <= field.maxLength;
}

/** Only long text fields have lines. */
function arranged(text: string, field: CrmField): string {
  const trimmed = text.trim();
  return field.type === 'longText' ? trimmed : trimmed.replace(/\s+/g, ' ');
}

/** Salesforce stores a line break as two characters and counts both. */
function storedLength(text: string): number {
  return text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n').length;
}

function cutAfterWord(text: string, field: CrmField): string | null {
  const room = prefixWithin(text, (field.maxLength ?? text.length) - ELLIPSIS.length);
  const lastSpace = text.slice(0, room.length + 1).search(/\s\S*$/);
  const kept = room.slice(0, lastSpace > 0 ? lastSpace : room.length).replace(/[\s\p{P}]+$/u, '');
  return kept === '' ? null : `${kept}${ELLIPSIS}`;
}

/** The longest beginning whose stored length is within the limit; cuts no character in half. */
function prefixWithin(text: string, limit: number): string {
  let length = 0;
  let end = 0;
  for (const character of text) {
    length += storedLength(character);
    if (length > limit) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function blank(field: CrmField): Fit {
  return { fits: false, reason: `There is nothing to write into ${field.name}: it is blank.` };
}

function tooLong(text: string, field: CrmField): Fit {
  return {
    fits: false,
    reason: `${field.name} holds at most ${field.maxLength} characters; the value has ${storedLength(text)}: make the field longer.`,
  };
}
