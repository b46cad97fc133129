/**
 * Describes profile values for users. Each profile value has a name, a few lines of text, and the CRM fields that
 * receive the value.
 */
import type { CrmField } from '../../core/crm-field.ts';
import type { FieldMapping, FieldSource } from '../../core/field-map.ts';
import type { Profile } from '../../core/profile.ts';
import type { ValueState } from '../../database/tables/fields.ts';
import { KEPT_OUT_TEXTS } from '../../fields/redelivery-view.ts';
import { moneyRangeLabel } from '../../mapping/money-range.ts';
import { profileValues } from '../../mapping/profile-values.ts';
import type { RawValue } from '../../mapping/raw-value.ts';
import type { AboutContact } from '../../privacy/statements/about.ts';
import type { UndoOfContact } from './history.ts';
import { toTime } from './to-time.ts';

export interface ShownValue {
  name: string;
  lines: string[];
  /** True if the profile value is a URL. */
  isLink: boolean;
  fields: ShownField[];
}

export interface ShownField {
  /** The field's API name in the CRM. `label` is the name that CRM users see. */
  name: string;
  label: string;
  /** The reason why the field does not contain the value, as part of a sentence. */
  missing: string | null;
  /** The time since when the field does not contain the value. */
  missingSince: string | null;
  /** The last run that wrote to the field, and the time of the write. */
  run: string | null;
  at: string | null;
}

/** The values in the order of the page. A value may have several sources. */
const VALUES: readonly { name: string; source: FieldSource; also?: readonly FieldSource[] }[] = [
  { name: 'Name', source: 'name.full' },
  { name: 'Age', source: 'age' },
  { name: 'Net worth', source: 'netWorth.label', also: ['netWorth.low', 'netWorth.high'] },
  { name: 'Giving capacity', source: 'capacity.nonprofit', also: ['capacity.highest'] },
  { name: 'Political capacity', source: 'capacity.political' },
  { name: 'Work', source: 'work.all', also: ['work.primary'] },
  { name: 'Education', source: 'education.all', also: ['education.primary'] },
  { name: 'Biography', source: 'bio' },
  { name: 'Donor ID', source: 'donorId' },
  { name: 'Page at the service', source: 'profileUrl' },
];

const MONEY: ReadonlySet<FieldSource> = new Set(['capacity.nonprofit', 'capacity.political']);

/** The data that shows where a contact's values come from. */
export interface ValueSources {
  mappings: readonly FieldMapping[];
  /** The CRM's fields. Empty while the CRM is unavailable. */
  fields: readonly CrmField[];
  about: Pick<AboutContact, 'writes' | 'notInCrm'>;
  undos: readonly UndoOfContact[];
}

/** Describes the profile's values. `paidAt` is in epoch ms. */
export function describeProfileValues(
  profile: Profile,
  paidAt: number,
  sources: ValueSources,
): ShownValue[] {
  const values = profileValues(profile, paidAt);
  return VALUES.flatMap(({ name, source, also = [] }) => {
    const value = values.get(source);
    if (value === undefined) return [];
    const fields = sources.mappings.filter(({ from }) => from === source || also.includes(from));
    return [
      {
        name,
        lines: toLines(value, MONEY.has(source)),
        isLink: value.kind === 'url',
        fields: fields.map(({ to }) => describeField(to, sources)),
      },
    ];
  });
}

function describeField(name: string, { fields, about, undos }: ValueSources): ShownField {
  const write = about.writes.findLast(
    (each) => each.state === 'written' && each.fields.includes(name),
  );
  const missing = about.notInCrm.find(({ field }) => field === name);
  return {
    name,
    label: fields.find((field) => field.name === name)?.label ?? name,
    missing: missing === undefined ? null : getMissingText(name, missing.state, undos),
    missingSince: missing === undefined ? null : toTime(missing.since),
    run: write?.run ?? null,
    at: write === undefined ? null : toTime(write.at),
  };
}

/** Names the user who has undone the value, if the name is stored. */
function getMissingText(field: string, state: ValueState, undos: readonly UndoOfContact[]): string {
  const by = undos.findLast(({ fields }) => fields.includes(field))?.by ?? null;
  return state === 'undone' && by !== null ? `${by} has undone the value` : KEPT_OUT_TEXTS[state];
}

function toLines(value: RawValue, isMoney: boolean): string[] {
  switch (value.kind) {
    case 'text':
    case 'url':
      return [value.text];
    case 'prose':
      return value.text.split('\n\n');
    case 'list':
      return [...value.items];
    case 'number':
      return [(isMoney ? DOLLARS : NUMBER).format(value.value)];
    case 'share':
      return [NUMBER.format(value.value)];
    case 'range':
      return [moneyRangeLabel(value.low, value.high)];
    case 'instant':
      return [new Date(value.epochMs).toISOString()];
  }
}

const NUMBER = new Intl.NumberFormat('en-US');
const DOLLARS = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
});
