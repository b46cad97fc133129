/**
 * Asks about the CRM's marks for email and calls. A mark for email or calls does not forbid research, so a user decides
 * whether the mark excludes contacts.
 */
import type { AboutRemoteCrm, ContactMark } from '../../../../connectors/about.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { anyText, NONE, type Option, type Question } from './question.ts';

export type MarkSettings = Pick<
  Integration['contacts'],
  'doNotContactField' | 'doNotContactValues' | 'unmarkedValues'
>;

/** Returns the question, or null if the CRM has no such marks. */
export function askContactMarks({ name, setup }: AboutRemoteCrm): Question | null {
  const { contactMarks = [] } = setup;
  if (contactMarks.length === 0) return null;
  const marks = contactMarks.map((mark) => `${mark.value ?? mark.field} (${mark.label})`);
  return {
    setting: 'contacts.doNotContactField',
    noun: 'the mark about mail or calls that also excludes contacts',
    ask: `Some marks forbid mail or calls. Which of these marks also mean that a contact must not be enhanced?`,
    label: 'Marks about mail and calls',
    hint: `${name} has these marks: ${marks.join(', ')}. donor-sync never takes them for “do not research”, unless you say so here.`,
    schema: anyText,
    initial: NONE,
    options: [
      { value: NONE, label: 'None: enhance contacts with these marks too' },
      ...contactMarks.filter(({ value }) => value === undefined).map(toOption),
      ...listFields(contactMarks.filter(({ value }) => value !== undefined)).map((field) => ({
        value: field,
        label: `Contacts with any ${field}`,
      })),
      ...contactMarks.filter(({ value }) => value !== undefined).map(toOption),
    ],
  };
}

function toOption(mark: ContactMark): Option {
  return {
    value: toAnswer(mark),
    label: `Contacts with ${mark.value ?? mark.field} (${mark.label})`,
  };
}

function toAnswer({ field, value }: ContactMark): string {
  return value === undefined ? field : `${field}=${value}`;
}

function listFields(marks: readonly ContactMark[]): string[] {
  return [...new Set(marks.map(({ field }) => field))];
}

/** Returns the settings for an answer. With `none`, other fields in the settings remain unchanged. */
export function withContactMarks<Contacts extends MarkSettings>(
  { setup: { contactMarks = [] } }: AboutRemoteCrm,
  contacts: Contacts,
  answer: string,
): Contacts {
  const { doNotContact: _, ...unmarkedOthers } = contacts.unmarkedValues ?? {};
  const isMark = listFields(contactMarks).some((field) => field === contacts.doNotContactField);
  if (answer === NONE && !isMark) return contacts;
  const chosen = contactMarks.filter((mark) => mark.field === answer || toAnswer(mark) === answer);
  const field = chosen[0]?.field ?? null;
  const values = chosen.flatMap(({ value }) => value ?? []);
  const others = contactMarks.flatMap((mark) =>
    mark.field === field && mark.value !== undefined && !chosen.includes(mark) ? mark.value : [],
  );
  const unmarked = {
    ...unmarkedOthers,
    ...(others.length === 0 ? {} : { doNotContact: others }),
  };
  return {
    ...contacts,
    doNotContactField: field,
    doNotContactValues: values.length === 0 ? undefined : values,
    unmarkedValues: Object.keys(unmarked).length === 0 ? undefined : unmarked,
  };
}

/** Returns the answer in the settings. Returns `none` if the settings use no mark for email or calls. */
export function readContactMarks(
  { setup: { contactMarks = [] } }: AboutRemoteCrm,
  { doNotContactField, doNotContactValues }: MarkSettings,
): string {
  if (!listFields(contactMarks).some((field) => field === doNotContactField)) return NONE;
  const [value, ...more] = doNotContactValues ?? [];
  const isOne = value !== undefined && more.length === 0;
  return isOne ? `${doNotContactField}=${value}` : `${doNotContactField}`;
}
