import type { CrmField } from '../core/crm-field.ts';
import type { FieldMapping, FieldSource } from '../core/field-map.ts';
import { STATUS_WORDS } from '../core/sync-status.ts';
import { type FieldFault, faultFor, mappedTwice, missingField } from './field-fault.ts';
import { fitValue } from './fit.ts';
import { parseMoneyRange } from './money-range.ts';
import { type RawKind, SOURCE_KINDS } from './raw-value.ts';

/** A problem with one line of the field map, and its fix. */
export interface FieldMapFinding extends FieldFault {
  /** The CRM's field name. */
  field: string;
  from: FieldSource;
}

/**
 * Checks each line of the field map against the CRM's description of its fields, before there are any values. `fields
 * check`, `doctor` and `plan` use this check. The results are in the order of the lines.
 */
export function checkFieldMap(
  mappings: readonly FieldMapping[],
  fields: readonly CrmField[],
): FieldMapFinding[] {
  return mappings.flatMap(({ from, to }, index) => {
    const earlier = mappings.slice(0, index).some((mapping) => mapping.to === to);
    const faults = [...(earlier ? [mappedTwice(to)] : []), ...targetFaults(from, to, fields)];
    return faults.map((fault) => ({ field: to, from, ...fault }));
  });
}

function targetFaults(from: FieldSource, to: string, fields: readonly CrmField[]): FieldFault[] {
  const field = fields.find(({ name }) => name === to);
  if (field === undefined) return [missingField(to, fields)];
  const fault = faultFor(field, SOURCE_KINDS[from]) ?? sizeFault(field, from);
  return fault === null ? [] : [fault];
}

function sizeFault(field: CrmField, from: FieldSource): FieldFault | null {
  switch (field.type) {
    case 'text':
    case 'longText':
    case 'url':
      return lengthFault(field, from);
    case 'picklist':
    case 'multiPicklist':
      return statusFault(field, from) ?? optionFault(field, SOURCE_KINDS[from]);
    default:
      return decimalFault(field, SOURCE_KINDS[from]) ?? digitFault(field, from);
  }
}

function lengthFault(field: CrmField, from: FieldSource): FieldFault | null {
  const length = LEAST_LENGTH[from];
  if (field.maxLength === null || field.maxLength >= length) return null;
  return tooShort(field, `${field.maxLength} characters, and ${from} needs ${length}`);
}

function digitFault(field: CrmField, from: FieldSource): FieldFault | null {
  const digits = LEAST_DIGITS[from];
  if (digits === undefined || field.integerDigits === null || field.integerDigits >= digits)
    return null;
  return tooShort(
    field,
    `${field.integerDigits} digits before the point, and ${from} needs ${digits}`,
  );
}

function tooShort(field: CrmField, sizes: string): FieldFault {
  return {
    problem: 'too_short',
    message: `${field.name} holds at most ${sizes}.`,
    fix: 'Make the field larger in the CRM, or map another field.',
  };
}

function decimalFault(field: CrmField, kind: RawKind): FieldFault | null {
  if (kind !== 'share' || field.type !== 'number' || field.decimalDigits !== 0) return null;
  return {
    problem: 'too_short',
    message: `${field.name} keeps no decimals, and a share is between 0 and 1.`,
    fix: 'Give the field two decimal places, or map a percent field.',
  };
}

/**
 * Returns a fault if no option of a restricted picklist can accept the value. Other fields do not reject values.
 * Amounts can be compared with the options' texts.
 */
function optionFault(field: CrmField, kind: RawKind): FieldFault | null {
  const isAmount = kind === 'number' || kind === 'range';
  const usable = field.options.some((option) => !isAmount || parseMoneyRange(option) !== null);
  if (!field.restricted || usable) return null;
  return {
    problem: 'type',
    message: `${field.name} is a restricted picklist without an option that fits.`,
    fix: isAmount
      ? 'Add options such as "$1M – $5M" to it, or map a number or text field.'
      : 'Add options to it, or map a text field.',
  };
}

/** Returns a fault if a restricted picklist lacks an option for a status. */
function statusFault(field: CrmField, from: FieldSource): FieldFault | null {
  if (from !== 'sync.status') return null;
  const words = Object.values(STATUS_WORDS);
  const missing = words.filter((text) => !fitValue({ kind: 'text', text }, field).fits);
  if (missing.length === 0) return null;
  return {
    problem: 'type',
    message: `${field.name} has no option for ${missing.join(', ')}.`,
    fix: 'Add the options in the CRM with this spelling, or map a text field.',
  };
}

/** The minimum length (in characters) of a field that can contain a typical value completely, for each source. */
const LEAST_LENGTH: Readonly<Record<FieldSource, number>> = {
  // The ID always has 32 hexadecimal characters (service document, section 2.6).
  donorId: 32,
  profileUrl: 80,
  'name.full': 40,
  age: 3,
  'netWorth.low': 10,
  'netWorth.high': 10,
  'netWorth.label': 16,
  'capacity.nonprofit': 10,
  'capacity.political': 10,
  'capacity.highest': 10,
  'work.primary': 60,
  'work.all': 60,
  'education.primary': 60,
  'education.all': 60,
  bio: 80,
  enhancedAt: 10,
  'warmPath.strength': 4,
  'warmPath.introducer': 40,
  'warmPath.network': 40,
  'warmPath.via': 60,
  'warmPath.sentence': 80,
  'sync.status': 9,
  'sync.statusDate': 10,
};

/** The number of digits before the decimal point that typical values of the source need. */
const LEAST_DIGITS: Readonly<Partial<Record<FieldSource, number>>> = {
  age: 3,
  'netWorth.low': 9,
  'netWorth.high': 9,
  'capacity.nonprofit': 9,
  'capacity.political': 9,
  'capacity.highest': 9,
};
