import type { MarkKind } from '../../../../connectors/marks/mark-values.ts';
import { anyText, NONE, type Question } from './question.ts';

/** The contacts for which each mark is meant, in words. */
const WHO = {
  optOut: 'contacts that must not be researched',
  deceased: 'deceased contacts',
  doNotContact: 'contacts that must not be contacted',
} as const satisfies Record<MarkKind, string>;

export const MARK_COLUMNS: Readonly<Record<MarkKind, Question<string | null>>> = {
  optOut: askColumn('optOut'),
  deceased: askColumn('deceased'),
  doNotContact: askColumn('doNotContact'),
};

/** Asks for the CRM field of a mark that only the nonprofit knows. The answer is `none` if there is no such field. */
export const OPT_OUT_FIELD: Question<string | null> = {
  ...askMark('optOut'),
  noun: `the field that marks ${WHO.optOut}`,
  ask: `Which field of a contact marks ${WHO.optOut}?`,
};

function askColumn(kind: MarkKind): Question<string | null> {
  return {
    ...askMark(kind),
    noun: `the column that marks ${WHO[kind]}`,
    ask: `Which column marks ${WHO[kind]}?`,
    options: 'columns or none',
  };
}

function askMark(kind: MarkKind) {
  return {
    setting: `contacts.${kind}Field`,
    label: `Marks ${WHO[kind]}`,
    schema: anyText.transform((text) => (text === NONE ? null : text)),
    initial: NONE,
  };
}
