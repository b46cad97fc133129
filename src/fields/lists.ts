/** Plans contact lists for users, based on the mapped fields. All functions are pure. */
import type { ListCreation, ListSpec } from '../../connectors/contract.ts';
import type { CrmField } from '../core/crm-field.ts';
import { type FieldMapping, type FieldSource, PATH_SOURCES } from '../core/field-map.ts';
import { STATUS_WORDS } from '../core/sync-status.ts';
import { fitValue } from '../mapping/fit.ts';
import type { RawValue } from '../mapping/raw-value.ts';

/** The limits of the lists. A contact above a limit belongs in the list. */
export interface ListBounds {
  /** The giving capacity, in whole US dollars. */
  capacityAbove: number;
  /** The strength of a warm path, from 0 to 100. */
  warmPathAbove: number;
}

/** The lists to create, and the lists for which there is no suitable field. */
export interface WantedLists {
  specs: ListSpec[];
  impossible: ListCreation[];
}

export function wantedLists(
  mappings: readonly FieldMapping[],
  fields: readonly CrmField[],
  { capacityAbove, warmPathAbove }: ListBounds,
): WantedLists {
  const wanted: Wanted[] = [
    {
      name: `donor-sync: capacity above $${capacityAbove.toLocaleString('en-US')}`,
      sources: ['capacity.highest', 'capacity.nonprofit'],
      raw: { kind: 'number', value: capacityAbove },
    },
    {
      name: `donor-sync: warm path above ${warmPathAbove}%`,
      sources: ['warmPath.strength'],
      raw: { kind: 'share', value: warmPathAbove / 100 },
    },
    {
      name: 'donor-sync: needs a decision',
      sources: ['sync.status'],
      raw: { kind: 'text', text: STATUS_WORDS.held },
    },
  ];
  const found = wanted.map((each) => ({ each, spec: buildListSpec(each, mappings, fields) }));
  return {
    specs: found.flatMap(({ spec }) => spec ?? []),
    impossible: found.flatMap(({ each, spec }) =>
      spec === null ? impossible(each, mappings) : [],
    ),
  };
}

interface Wanted {
  name: string;
  /** The possible sources of the list's field. The first source with a suitable field is used. */
  sources: readonly FieldSource[];
  raw: RawValue;
}

function buildListSpec(
  { name, sources, raw }: Wanted,
  mappings: readonly FieldMapping[],
  fields: readonly CrmField[],
): ListSpec | null {
  for (const source of sources) {
    for (const { to } of mappings.filter(({ from }) => from === source)) {
      const field = fields.find((one) => one.name === to);
      const fit = field === undefined ? null : fitValue(raw, field);
      if (!fit?.fits) continue;
      const { value } = fit;
      if (raw.kind === 'text') return { name, field: to, condition: { equals: String(value) } };
      // The CRM cannot compare texts by size.
      if (typeof value === 'number') return { name, field: to, condition: { above: value } };
    }
  }
  return null;
}

/**
 * Returns the reason why a list cannot be created. A list that cannot be created is not a failure. For example, warm
 * paths need networks.
 */
function impossible(
  { name, sources, raw }: Wanted,
  mappings: readonly FieldMapping[],
): ListCreation {
  const words = sources.join(' or ');
  if (!mappings.some(({ from }) => sources.includes(from))) {
    const problem = `left out: no field is mapped from ${words}. Warm paths need networks.`;
    const plain = `left out: no field is mapped from ${words}.`;
    const isPath = sources.some((source) => PATH_SOURCES.includes(source));
    return { name, result: 'left_out', problem: isPath ? problem : plain };
  }
  const kind = raw.kind === 'text' ? 'text field or picklist' : 'number field';
  const problem = `The field that is mapped from ${words} is missing or is not a ${kind}: create it, or map another field, and run this command again.`;
  return { name, result: 'failed', problem };
}
