import { z } from 'zod';
import { DonorSyncError } from '../../src/core/errors.ts';
import {
  type ForeignText,
  foreignCode,
  foreignFields,
  foreignText,
} from '../../src/core/foreign-text.ts';
import { parseJson } from '../../src/outbound/exchange.ts';
import type { RefusalCause } from '../contract.ts';
import {
  limitUsedUp,
  passingFailure,
  readAnswer,
  requestRefused,
  signInRefused,
} from '../requests/errors.ts';

/**
 * The reaction to a Salesforce error. Errors of the kinds `lock` and `passing` are temporary, and errors of the kind
 * `limit` end on the next day. After a `session` error, donor-sync signs in again. After a `settings` error, a user
 * must act. `crowded` means that too many records were written in one transaction. `record` affects only one record.
 */
export type ErrorSort =
  | 'lock'
  | 'passing'
  | 'limit'
  | 'session'
  | 'settings'
  | 'crowded'
  | 'record';

/** The meaning of an error code, in words for a nonprofit's administrator. */
export interface ErrorMeaning {
  sort: ErrorSort;
  sentence: string;
  /**
   * The reason why Salesforce rejects a value with this code. The reason is omitted if the code is not about values.
   */
  cause?: RefusalCause;
  /** True if users also need Salesforce's own text. */
  keepsWords?: true;
}

/** One error that Salesforce reports for a request or a record. */
export interface SalesforceFault {
  code: string;
  /** Salesforce's text may contain anything, even values. donor-sync passes the text on only as `words`. */
  message: string;
  fields: readonly string[];
}

const MEANINGS = new Map<string, ErrorMeaning>(
  Object.entries({
    UNABLE_TO_LOCK_ROW: {
      sort: 'lock',
      sentence: 'Another user was changing this contact or its account at the same moment.',
    },
    INVALID_SESSION_ID: {
      sort: 'session',
      sentence: 'Salesforce no longer accepts the sign-in.',
    },
    INVALID_AUTH_HEADER: { sort: 'session', sentence: 'Salesforce does not accept the sign-in.' },
    REQUEST_LIMIT_EXCEEDED: {
      sort: 'limit',
      sentence: "The org has used up Salesforce's request limit for 24 hours.",
    },
    LIMIT_EXCEEDED: {
      sort: 'limit',
      sentence: "The org has used up Salesforce's Bulk API limit for 24 hours.",
    },
    SERVER_UNAVAILABLE: { sort: 'passing', sentence: 'Salesforce was busy.' },
    QUERY_TIMEOUT: { sort: 'passing', sentence: 'Salesforce took too long over a query.' },
    UNKNOWN_EXCEPTION: { sort: 'passing', sentence: 'Salesforce failed for an internal reason.' },
    API_CURRENTLY_DISABLED: {
      sort: 'settings',
      sentence: "The integration's user may not use the API: give it the permission “API Enabled”.",
    },
    API_DISABLED_FOR_ORG: {
      sort: 'settings',
      sentence: 'This edition of Salesforce has no API access.',
    },
    ENTITY_IS_DELETED: {
      sort: 'record',
      sentence: 'The record is gone: it was deleted or merged into another record.',
    },
    INVALID_CROSS_REFERENCE_KEY: {
      sort: 'record',
      sentence: 'The record is gone, or was never there.',
    },
    NOT_FOUND: { sort: 'record', sentence: 'The record is gone, or was never there.' },
    MALFORMED_ID: { sort: 'record', sentence: 'This is not a contact ID.' },
    INVALID_FIELD: {
      sort: 'settings',
      cause: 'no_such_field',
      sentence: "A field does not exist, or is hidden from the integration's user.",
      keepsWords: true,
    },
    INVALID_TYPE: {
      sort: 'settings',
      sentence: "A kind of record does not exist, or is hidden from the integration's user.",
      keepsWords: true,
    },
    MALFORMED_QUERY: {
      sort: 'settings',
      sentence: 'Salesforce cannot read a condition.',
      keepsWords: true,
    },
    INVALID_QUERY_FILTER_OPERATOR: {
      sort: 'settings',
      sentence: 'A condition compares a field with a value of the wrong type.',
      keepsWords: true,
    },
    FIELD_CUSTOM_VALIDATION_EXCEPTION: {
      sort: 'record',
      cause: 'rule',
      sentence: 'A validation rule of your org refuses the change.',
      keepsWords: true,
    },
    REQUIRED_FIELD_MISSING: {
      sort: 'record',
      cause: 'rule',
      sentence: 'The contact lacks a value in a field that your org requires: fill it in.',
    },
    STRING_TOO_LONG: {
      sort: 'record',
      cause: 'does_not_fit',
      sentence: 'A value is longer than its field allows.',
    },
    NUMBER_OUTSIDE_VALID_RANGE: {
      sort: 'record',
      cause: 'does_not_fit',
      sentence: 'A number has more digits than its field allows.',
    },
    INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST: {
      sort: 'record',
      cause: 'does_not_fit',
      sentence: 'A value is not an option of its restricted picklist: add the option.',
    },
    INVALID_TYPE_ON_FIELD_IN_RECORD: {
      sort: 'record',
      cause: 'does_not_fit',
      sentence: 'A value is of another type than its field.',
    },
    JSON_PARSER_ERROR: {
      sort: 'record',
      cause: 'does_not_fit',
      sentence: 'A value is of another type than its field.',
    },
    INVALID_EMAIL_ADDRESS: {
      sort: 'record',
      cause: 'does_not_fit',
      sentence: 'A value is not an email address.',
    },
    ENTITY_IS_LOCKED: {
      sort: 'record',
      cause: 'rule',
      sentence:
        'An approval process of your org has locked the contact: decide the approval, or unlock the record.',
    },
    INACTIVE_OWNER_OR_USER: {
      sort: 'record',
      cause: 'rule',
      sentence: "The contact's owner is an inactive user: give the contact to an active one.",
    },
    DUPLICATES_DETECTED: {
      sort: 'record',
      cause: 'rule',
      sentence:
        'A duplicate rule of your org considers the contact a duplicate: merge the two, or let the ' +
        "integration's user bypass the rule.",
      keepsWords: true,
    },
    DUPLICATE_VALUE: {
      sort: 'record',
      cause: 'rule',
      sentence: 'Another contact already has a value that must be unique.',
    },
    INVALID_FIELD_FOR_INSERT_UPDATE: {
      sort: 'record',
      cause: 'no_permission',
      sentence: "The integration's user may not edit a field: grant it edit access.",
    },
    INSUFFICIENT_ACCESS_OR_READONLY: {
      sort: 'record',
      cause: 'no_permission',
      sentence: "The integration's user may not edit this contact: check sharing and permissions.",
    },
    INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY: {
      sort: 'record',
      cause: 'no_permission',
      sentence:
        "The integration's user may not see a record that this contact belongs to, such as its account.",
    },
    INSUFFICIENT_ACCESS: {
      sort: 'settings',
      cause: 'no_permission',
      sentence: "The integration's user lacks a permission for this.",
    },
    CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY: {
      sort: 'record',
      cause: 'rule',
      sentence: 'A trigger of your org failed on this change: contact its maintainer.',
      keepsWords: true,
    },
    CANNOT_EXECUTE_FLOW_TRIGGER: {
      sort: 'record',
      cause: 'rule',
      sentence: 'A flow of your org failed on this change: contact its maintainer.',
      keepsWords: true,
    },
  } satisfies Record<string, ErrorMeaning>),
);

/**
 * The meaning of an error about Salesforce's transaction limits. After this error, donor-sync writes the records again
 * in smaller groups. Users see this text only if a single contact exceeds a limit.
 */
const CROWDED_MEANING: ErrorMeaning = {
  sort: 'crowded',
  cause: 'rule',
  sentence:
    'The triggers and flows of your org need more than Salesforce allows in one transaction, even for this contact ' +
    'alone: contact their maintainer.',
  keepsWords: true,
};

/**
 * The codes of failures in the org's own triggers and flows. The message of such a failure can contain any other
 * failure.
 */
const OWN_CODE: ReadonlySet<string> = new Set([
  ...['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', 'CANNOT_EXECUTE_FLOW_TRIGGER'],
]);

/**
 * Matches the messages about Salesforce's transaction limits (“governor limits”). Examples are `System.LimitException:
 * Too many SOQL queries: 101`, `Apex CPU time limit exceeded` and `Apex heap size too large: 6127412`.
 */
const CROWDED =
  /System\.LimitException|Apex CPU time limit exceeded|Apex heap size too large|\bToo many (?:[A-Za-z.]+ ){1,4}?(?:statements|rows|queries|calls|jobs|emails?|callouts|invocations)\b[^:]{0,40}: \d/;

const UNKNOWN_MEANING: ErrorMeaning = {
  sort: 'record',
  sentence: 'Salesforce refuses the change; its code says why.',
  keepsWords: true,
};

/** Matches HTTP statuses that always mean a temporary failure. */
const PASSING_STATUS = /^ERROR_HTTP_(420|429|5\d\d)$/;

/** Returns the meaning of an error. A failed trigger or flow may have failed because of a lock or a limit. */
export function getMeaning({ code, message }: SalesforceFault): ErrorMeaning {
  if (code === 'ERROR_HTTP_401') return meaning('INVALID_SESSION_ID');
  if (code === 'ERROR_HTTP_404') return meaning('NOT_FOUND');
  if (PASSING_STATUS.test(code)) return meaning('SERVER_UNAVAILABLE');
  if (isConcurrencyLimit({ code, message })) return meaning('SERVER_UNAVAILABLE');
  if (!OWN_CODE.has(code)) return meaning(code);
  if (message.includes('UNABLE_TO_LOCK_ROW')) return meaning('UNABLE_TO_LOCK_ROW');
  return CROWDED.test(message) ? CROWDED_MEANING : meaning(code);
}

/**
 * Returns true if too many requests are in flight at the same time. Returns false if the daily requests are used up.
 * Both errors have the same code.
 */
function isConcurrencyLimit({ code, message }: Omit<SalesforceFault, 'fields'>): boolean {
  return code === 'REQUEST_LIMIT_EXCEEDED' && /concurrent/i.test(message);
}

/** Returns a sentence that contains only codes and field names from Salesforce. */
export function sentenceFor(fault: SalesforceFault): string {
  const { sentence } = getMeaning(fault);
  const trigger = TRIGGER.exec(fault.message)?.[1];
  const source = trigger === undefined ? '' : ` (It is ${trigger}.)`;
  const names = foreignFields(fault.fields);
  const fields = names.length > 0 ? ` Fields: ${names.join(', ')}.` : '';
  return sentence + source + fields;
}

/** Matches `Guard: execution of BeforeUpdate`, which is how Salesforce's messages about a trigger start. */
const TRIGGER = /^(\w{1,40}(?:\.\w{1,40})?): execution of (?:Before|After)[A-Z]/;

/** Returns Salesforce's own text, which users see with a decision. Returns null if our sentence is enough. */
export function wordsOfFault(fault: SalesforceFault): ForeignText | null {
  const { code, message, fields } = fault;
  if (!getMeaning(fault).keepsWords) return null;
  return foreignText(message, { code: foreignCode(code), fields: foreignFields(fields) });
}

/** Creates the error for a rejected request. `details.crmCode` contains Salesforce's code. */
export function requestError(fault: SalesforceFault, cause?: unknown): DonorSyncError {
  const code = foreignCode(fault.code);
  const background = { cause, details: { crmCode: code }, words: wordsOfFault(fault) };
  const sentence = sentenceFor(fault);
  switch (getMeaning(fault).sort) {
    case 'session':
      return signInRefused(`${sentence} ${SIGN_IN_FIX}`, background);
    case 'limit':
      return limitUsedUp(sentence, background);
    case 'lock':
    case 'passing':
      return passingFailure(sentence, background);
    case 'settings':
    case 'crowded':
    case 'record':
      return requestRefused(`Salesforce refused a request (${code}). ${sentence}`, background);
  }
}

/** The text that tells users how to fix a rejected sign-in. */
export const SIGN_IN_FIX =
  'Check crm.auth in the settings, and in Salesforce the app’s policies and that the ' +
  "integration's user is active.";

const faultSchema = z.object({
  errorCode: z.string(),
  message: z.string().default(''),
  fields: z.array(z.string()).nullish(),
});

/** Returns the first error of a rejected request. The error contains only names that also occur in `asked`. */
export function parseFault(status: number, text: string, asked = ''): SalesforceFault {
  const said = parseJson(text);
  const fault = z.array(faultSchema).safeParse(said).data?.[0] ?? faultSchema.safeParse(said).data;
  const {
    errorCode: code,
    message,
    fields,
  } = fault ?? {
    errorCode: `ERROR_HTTP_${status}`,
    message: '',
    fields: [],
  };
  return { code, message, fields: [...(fields ?? []), ...namesIn(message, asked)] };
}

const NAMED = /No such column '(\w+)'|sObject type '(\w+)'|(?:for|The) field '(\w+)'/g;

/** Returns the names that Salesforce reports as invalid. A word that is not in `asked` is never treated as a name. */
function namesIn(message: string, asked: string): string[] {
  const withoutTexts = decoded(asked).replace(/'(?:[^'\\]|\\[\s\S]?)*(?:'|$)/g, "''");
  const ours = new Set(withoutTexts.match(/\w+/g));
  const named = [...message.matchAll(NAMED)].flatMap((match) => match.slice(1));
  return named.filter((name) => name !== undefined && ours.has(name));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Parses the body of a response with the schema. Throws a RetriableError if the body has a different form. */
export function readAs<Shape>(schema: z.ZodType<Shape>, body: unknown): Shape {
  return readAnswer('Salesforce', schema, body);
}

/** Returns the Salesforce code in one of our errors, or null if the error has no such code. */
export function getCrmCode(error: unknown): string | null {
  if (!(error instanceof DonorSyncError)) return null;
  const { crmCode } = z.object({ crmCode: z.string().optional() }).parse(error.details);
  return crmCode ?? null;
}

function meaning(code: string): ErrorMeaning {
  return MEANINGS.get(code) ?? UNKNOWN_MEANING;
}
