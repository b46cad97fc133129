import type { FieldSource } from '../../../src/core/field-map.ts';
import type { MappedFieldSpec } from '../../contract.ts';

/** A list of contacts, in the words of the Metadata API. */
type ListView = {
  fullName: string;
  label: string;
  filterScope: 'Everything';
  columns: string[];
  filters: { field: string; operation: 'greaterOrEqual'; value: number }[];
};

/** What is worth a list, from which value on; the first of `by` that is mapped is what it asks for. */
interface Interest {
  fullName: string;
  /** At most 40 characters. */
  label: string;
  by: readonly FieldSource[];
  from: number;
}

const INTERESTS: readonly Interest[] = [
  {
    fullName: 'donor_sync_high_capacity',
    label: 'donor-sync: high capacity',
    by: ['capacity.nonprofit', 'capacity.highest', 'netWorth.low'],
    from: 100_000,
  },
  {
    fullName: 'donor_sync_warm_path',
    label: 'donor-sync: warm path',
    by: ['warmPath.strength'],
    from: 50,
  },
];

/** What helps to decide about a call, from left to right. Long texts make no column. */
const COLUMNS: readonly FieldSource[] = [
  'capacity.nonprofit',
  'capacity.highest',
  'netWorth.label',
  'warmPath.strength',
  'warmPath.introducer',
  'warmPath.network',
  'work.primary',
  'enhancedAt',
];

/**
 * The lists for the fields that there are. All users see their names, and the values in them as far as
 * they may read the fields. No `sharedTo`: `allInternalUsers` is known to orgs with portals alone.
 */
export function listViews(fields: readonly MappedFieldSpec[]): ListView[] {
  const named = new Map(fields.map((field) => [field.from, field]));
  const columns = ['FULL_NAME', ...COLUMNS.flatMap((source) => named.get(source)?.name ?? [])];
  return INTERESTS.flatMap(({ fullName, label, by, from }): ListView[] => {
    const [asked] = by.flatMap((source) => named.get(source) ?? []);
    if (asked === undefined) return [];
    const filter = { field: asked.name, operation: 'greaterOrEqual', value: from } as const;
    return [{ fullName, label, columns, filterScope: 'Everything', filters: [filter] }];
  });
}
