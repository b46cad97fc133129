/** Finds fields that can mark contacts, and the values in these fields. The set-up offers these fields to users. */

import { missingMarksText } from '../../../connectors/findings/missing-parts.ts';
import type { MarkKind } from '../../../connectors/marks/mark-values.ts';
import { yesOrNo } from '../../../connectors/marks/yes-or-no.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { describeCount } from '../../core/quantities.ts';
import { contentKind } from './column-content.ts';
import type { CsvHeader } from './csv-header.ts';

type ContactSettings = Integration['contacts'];

export const MARKS = [
  { kind: 'optOut', setting: 'optOutField', list: 'optOutValues' },
  { kind: 'deceased', setting: 'deceasedField', list: 'deceasedValues' },
  { kind: 'doNotContact', setting: 'doNotContactField', list: 'doNotContactValues' },
] as const satisfies readonly {
  kind: MarkKind;
  setting: keyof ContactSettings;
  list: keyof ContactSettings;
}[];

export interface MarkFieldValues {
  kind: MarkKind;
  field: string;
  /** The number of contacts that were checked. */
  of: number;
  values: { value: string; count: number }[];
}

const MOST_VALUES = 30;

/**
 * The maximum number of different tag combinations that are kept, because the tags in a cell can be combined in many
 * ways.
 */
const MOST_LISTS = 100;

const DATES_AND_FLAGS: ReadonlySet<string> = new Set(['yes or no', 'date', 'blank']);

export function markableColumns({
  columns,
  sample,
}: Pick<CsvHeader, 'columns' | 'sample'>): string[] {
  return columns.filter((name) => {
    const values = sample.map((row) => row.get(name)?.trim() ?? '').filter((text) => text !== '');
    if (DATES_AND_FLAGS.has(contentKind(values))) return true;
    const distinct = new Set(values.flatMap(partsOfList)).size;
    return distinct <= MOST_VALUES && (distinct <= 2 || distinct < values.length);
  });
}

/** Returns the tags in a cell such as `Donor, Deceased` or `Call|Mail`. */
function partsOfList(value: string): string[] {
  return value
    .split(/[,;|]|:::/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Returns the values of the marks in a file. Leaves out yes, no and dates, because their meaning is known. */
export function markValuesInFile(
  { sample }: Pick<CsvHeader, 'sample'>,
  contacts: ContactSettings,
): MarkFieldValues[] {
  return MARKS.flatMap(({ kind, setting }) => {
    const field = contacts[setting];
    if (field === null) return [];
    const counts = new Map<string, number>();
    for (const row of sample) {
      const value = row.get(field)?.trim() ?? '';
      if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const filled = [...counts].flatMap(([value, count]) => Array<string>(count).fill(value));
    const isPlain =
      DATES_AND_FLAGS.has(contentKind(filled)) &&
      [...counts.keys()].every(
        (value) => yesOrNo(value) !== null || contentKind([value, value, value]) === 'date',
      );
    if (isPlain || counts.size > MOST_LISTS) return [];
    const values = [...counts]
      .map(([value, count]) => ({ value, count }))
      .toSorted((a, b) => b.count - a.count);
    return [{ kind, field, of: sample.length, values }];
  });
}

/**
 * Returns the meaning of a value. For a value that is not in the settings, returns the word's usual meaning, or null.
 */
export function saidMeaning(
  { kind, field }: Pick<MarkFieldValues, 'kind' | 'field'>,
  contacts: ContactSettings,
  value: string,
): 'marked' | 'unmarked' | null {
  const mark = MARKS.find((one) => one.kind === kind);
  if (mark === undefined || contacts[mark.setting] !== field) return null;
  if (contacts[mark.list]?.includes(value) === true) return 'marked';
  if (contacts.unmarkedValues?.[kind]?.includes(value) === true) return 'unmarked';
  if (contacts[mark.list] != null) return contacts.unmarkedValues?.[kind] ? null : 'unmarked';
  const word = yesOrNo(value);
  return word === null ? null : word ? 'marked' : 'unmarked';
}

/** Values that mark contacts in a column of another kind, such as a status column. */
const MARKING_VALUES = {
  deceased:
    /\b(deceased|verstorben|d[eé]c[eé]d[eé]e?|fallecid[oa]|decedut[oa]|overleden|falecid[oa]|avliden|passed away|gestorben)\b|(^|\s)[✝†](\s|$)/iu,
  doNotContact:
    /\b(do not (contact|solicit)|dnc|no contact|nicht kontaktieren|ne pas contacter|no contactar|non contattare|niet benaderen|n[aã]o contactar|kontakta ej)\b/iu,
} as const;

/** Names of consent columns, with the values that mean a withdrawn consent. */
const CONSENT_COLUMNS =
  /consent|legal basis|lawful basis|gdpr|rgpd|dsgvo|avg|privacy|datenschutz|rechtsgrundlage|einwilligung|base l[eé]gal|base jur[ií]dica|consentimiento|consentement|consenso|consentimento|toestemming|grondslag|samtycke|r[aä]ttslig grund/iu;
const WITHDRAWN =
  /^(withdrawn|revoked|refused|objected|opted[- ]out|widerrufen|abgelehnt|widersprochen|retirad[oa]|revocad[oa]|denegad[oa]|retir[eé]e?|refus[eé]e?|revocat[oa]|ritirat[oa]|negat[oa]|revogad[oa]|recusad[oa]|ingetrokken|geweigerd|[aå]terkallat|nekat)$/iu;
/** Values that have the same meaning in any column. */
const OPTED_OUT =
  /\b(do not (research|profile|screen)|consent withdrawn|objected to (profiling|processing))\b/iu;

/** True for a column in which contacts allow the nonprofit to use a channel. */
function allowsContact(column: string): boolean {
  return (
    CONTACT.test(column) &&
    ALLOWED.test(column) &&
    !NEGATED.test(column) &&
    !ONE_CHANNEL_OR_OTHERS.test(column)
  );
}

const CONTACT = /\b(contact|kontakt|contatt)/iu;
const ALLOWED =
  /\b(allow|permit|permission|accept|agree|consent|may\b|can\b|ok\b|erlaubt|einverstanden|erwünscht|autori[sz]|acepta|aceita|accetta|toestemming|tillåt|godkän)/iu;
/** Matches a negation. `May not contact` and `Nicht kontaktieren` mean the opposite of the other columns. */
const NEGATED = /\b(not|no|never|don|nicht|kein|ne|pas|non|niet|geen|não|nao|ej|inte|ikke)\b/iu;
const ONE_CHANNEL_OR_OTHERS =
  /e-?mail|\bmail|post|phone|telefon|tel\b|sms|text|\bcall|fax|newsletter|site|platform|third|partner|preferred/iu;

function marks(kind: HintedKind, column: string, value: string): boolean {
  if (kind === 'doNotContact' && yesOrNo(value) === false) {
    return allowsContact(column);
  }
  if (kind !== 'optOut') return MARKING_VALUES[kind].test(value);
  return OPTED_OUT.test(value) || (CONSENT_COLUMNS.test(column) && WITHDRAWN.test(value));
}

type HintedKind = keyof typeof HINT_TEXTS;

const HINT_TEXTS = {
  optOut: 'contacts that have opted out',
  deceased: 'deceased contacts',
  doNotContact: 'contacts that must not be contacted',
} as const;

/** The maximum number of a column's values in a note. */
const VALUES_NAMED = 3;
const VALUE_LENGTH = 40;
const LIST_LENGTH = 200;

/** Returns a note about marks that appear in no column and no value. donor-sync would send contacts with such marks. */
export function missingMarksNote(
  file: Pick<CsvHeader, 'columns' | 'sample'>,
  chosen: Readonly<Record<HintedKind, string | null>>,
): string[] {
  const hints = markHints(file, chosen);
  const isHinted = (setting: string) => hints.some((hint) => hint.includes(`contacts.${setting}`));
  const covered = MARKS.map(({ kind, setting }) => {
    return [kind, chosen[kind] ?? (isHinted(setting) ? setting : null)] as const;
  });
  const text = missingMarksText({ ...chosen, ...Object.fromEntries(covered) });
  return text === null ? [] : [`${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`];
}

/** True if a value or a column hints at a mark. A long value may be a list that contains the mark. */
function isHint(kind: HintedKind, column: string, value: string): boolean {
  if (value.length > LIST_LENGTH) return false;
  const parts = value.length <= VALUE_LENGTH ? [value] : partsOfList(value);
  return parts.some((part) => part.length <= VALUE_LENGTH && marks(kind, column, part));
}

export function markHints(
  file: Pick<CsvHeader, 'columns' | 'sample'>,
  chosen: Readonly<Record<HintedKind, string | null>>,
): string[] {
  const columns = markableColumns(file);
  return (['optOut', 'deceased', 'doNotContact'] as const).flatMap((kind) => {
    if (chosen[kind] !== null) return [];
    return columns.flatMap((name) => {
      const values = file.sample
        .map((row) => row.get(name)?.trim() ?? '')
        .filter((value) => isHint(kind, name, value));
      if (values.length === 0) return [];
      const named = [...new Set(values)].slice(0, VALUES_NAMED).map((value) => `"${value}"`);
      return `"${name}" marks ${values.length} ${HINT_TEXTS[kind]} with ${named.join(', ')}. In the settings, set contacts.${kind}Field to the column. List these values in contacts.${kind}Values, and all other values in contacts.unmarkedValues.${kind}. Otherwise, donor-sync sends these contacts.`;
    });
  });
}

/** The maximum length of a remark. Longer remarks are shortened before they are searched. */
const REMARK_LENGTH = 1_000;

/**
 * Finds columns with remarks about deceased contacts, or about contacts who must not be contacted. The note contains
 * only the words that were found.
 */
export function remarkNotes(
  file: Pick<CsvHeader, 'columns' | 'sample'>,
  chosen: Readonly<Record<HintedKind, string | null>>,
): string[] {
  const listable = new Set(markableColumns(file));
  const taken = new Set(Object.values(chosen));
  const texts = file.columns.filter((name) => !listable.has(name) && !taken.has(name));
  return (['deceased', 'doNotContact'] as const).flatMap((kind) => {
    if (chosen[kind] !== null) return [];
    return texts.flatMap((name) => {
      const words = file.sample.flatMap((row) => {
        const text = row.get(name)?.slice(0, REMARK_LENGTH) ?? '';
        return MARKING_VALUES[kind].exec(text)?.[0].trim() ?? [];
      });
      if (words.length === 0) return [];
      const named = [...new Set(words)].slice(0, VALUES_NAMED).map((word) => `"${word}"`);
      return `"${name}" seems to mention ${HINT_TEXTS[kind]} in ${describeCount(words.length, 'row')} (${named.join(', ')}). Remove these rows from the file, or mark them in a column. Otherwise these contacts are sent.`;
    });
  });
}
