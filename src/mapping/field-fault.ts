import type { CrmField } from '../core/crm-field.ts';
import { type RawKind, TYPES_FOR_KIND } from './raw-value.ts';

/** The problem with a field and its mapped value. The text never contains the value. */
export interface FieldFault {
  problem: 'missing' | 'type' | 'not_writable' | 'too_short' | 'duplicate';
  /** The problem, in a sentence that contains the field's name. */
  message: string;
  /** The solution, in a sentence. */
  fix: string;
}

/** Creates the fault for a field that the CRM does not list. */
export function missingField(name: string, fields: readonly CrmField[]): FieldFault {
  const similar = fields.find((field) => field.name.toLowerCase() === name.toLowerCase());
  return {
    problem: 'missing',
    message: `The CRM does not have a contact field ${name}, or hides it from the integration's user.`,
    fix: similar
      ? `Write it as ${similar.name} in the settings.`
      : "Create it with `donor-sync fields create`, or give the integration's user access to it.",
  };
}

/** Creates the fault for a field that an earlier field map line already uses. */
export function mappedTwice(name: string): FieldFault {
  return {
    problem: 'duplicate',
    message: `More than one line of the field map writes to ${name}.`,
    fix: 'Keep one of the lines.',
  };
}

/** Returns the fault that prevents all values of this kind in the field, or null if there is no fault. */
export function faultFor(field: CrmField, kind: RawKind): FieldFault | null {
  if (!field.writable) return notWritable(field);
  if (field.readAs !== undefined) return ofIdentity(field.name, field.readAs);
  return TYPES_FOR_KIND[kind].includes(field.type) ? null : wrongType(field, kind);
}

/** Returns the fault on one line, as a reason. */
export function faultReason({ message, fix }: FieldFault): string {
  return `${message} ${fix}`;
}

function notWritable(field: CrmField): FieldFault {
  return {
    problem: 'not_writable',
    message: `${field.name} cannot be written by the integration's user.`,
    fix: 'Grant its user edit access to the field, or map another field.',
  };
}

/**
 * Creates the fault for a field that identifies contacts. If a run wrote to this field, the next run would read the
 * value as a different name, address or employer.
 */
function ofIdentity(name: string, part: string): FieldFault {
  return {
    problem: 'not_writable',
    message: `${name} is read as the ${part} of contacts: a value written there would count as a change of the contact, which costs a credit.`,
    fix: 'Map another field.',
  };
}

function wrongType(field: CrmField, kind: RawKind): FieldFault {
  return {
    problem: 'type',
    message: `${field.name} is ${TYPE_WORDS[field.type]} field and cannot hold ${KIND_WORDS[kind]}.`,
    fix: `Map a field of another type: ${TYPES_FOR_KIND[kind].join(', ')}.`,
  };
}

const TYPE_WORDS = {
  text: 'a text',
  longText: 'a long text',
  url: 'a URL',
  integer: 'an integer',
  number: 'a number',
  currency: 'a currency',
  percent: 'a percent',
  boolean: 'a boolean',
  date: 'a date',
  datetime: 'a datetime',
  picklist: 'a picklist',
  multiPicklist: 'a multi-select picklist',
} as const satisfies Record<CrmField['type'], string>;

const KIND_WORDS = {
  text: 'a text',
  url: 'a link',
  prose: 'paragraphs of text',
  list: 'a list',
  number: 'a number',
  share: 'a share between 0 and 1',
  range: 'a range of amounts',
  instant: 'a point in time',
} as const satisfies Record<RawKind, string>;
