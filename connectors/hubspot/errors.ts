import { z } from 'zod';
import { ConfigurationError, DonorSyncError } from '../../src/core/errors.ts';
import {
  type ForeignText,
  foreignCode,
  foreignFields,
  foreignText,
} from '../../src/core/foreign-text.ts';
import type { RefusalCause } from '../contract.ts';
import {
  limitUsedUp,
  passingFailure,
  readAnswer,
  requestRefused,
  signInRefused,
} from '../requests/errors.ts';

/**
 * The reaction to a HubSpot error. Errors of the kind `passing` are temporary, errors of the kind `limit` end on the
 * next day, and after a `session` error, donor-sync signs in again. After a `settings` error, a user must act. A
 * `property` error affects one property of any record, and a `record` error affects only one record.
 */
export type ErrorSort = 'passing' | 'limit' | 'session' | 'settings' | 'property' | 'record';

interface ErrorMeaning {
  sort: ErrorSort;
  /** The error's meaning in words that an administrator understands. */
  sentence: string;
  /** True if users also need HubSpot's own text. */
  keepsWords?: true;
  /**
   * The reason why HubSpot rejects a value. The reason is omitted if the value does not cause the rejection, or if the
   * reason is unknown.
   */
  cause?: RefusalCause;
}

/** One error that HubSpot reports for a request or for some records. */
export interface HubspotFault {
  /** The HTTP status. For an error in a batch, the status is 207. */
  status: number;
  /** The most specific code of the error, or its category if it has no code. */
  code: string;
  /**
   * HubSpot's own text about the error. HubSpot's text may quote people's values, so no message of donor-sync contains
   * it.
   */
  words: ForeignText | null;
  /** The properties that caused the error, each with its own code. */
  problems: readonly PropertyProblem[];
  /** The scopes that the token lacks. */
  scopes: readonly string[];
}

export interface PropertyProblem {
  property: string;
  code: string;
  /** HubSpot's text about this property. HubSpot's text may quote the value. */
  says: ForeignText | null;
}

/**
 * donor-sync's own code for a value that breaks a validation rule from HubSpot. donor-sync has not sent the value to
 * HubSpot.
 */
export const BREAKS_RULE = 'VALUE_BREAKS_RULE';

/** The meaning of error codes and categories (CRM facts, section B5). */
const MEANINGS = new Map<string, ErrorMeaning>(
  Object.entries({
    INVALID_AUTHENTICATION: { sort: 'session', sentence: 'HubSpot does not accept the sign-in.' },
    EXPIRED_AUTHENTICATION: { sort: 'session', sentence: 'The sign-in with HubSpot has expired.' },
    MISSING_SCOPES: {
      sort: 'settings',
      sentence: 'The token lacks a scope: add it to the service key or app, and connect again.',
    },
    RATE_LIMITS: { sort: 'passing', sentence: 'HubSpot received too many requests.' },
    DAILY: {
      sort: 'limit',
      sentence: "The account has used up HubSpot's daily request limit.",
    },
    BUSY: { sort: 'passing', sentence: 'HubSpot was busy.' },
    OBJECT_NOT_FOUND: {
      sort: 'record',
      sentence: 'The record is gone: it was deleted, or was never there.',
    },
    NOT_CONFIRMED: {
      sort: 'passing',
      sentence: 'HubSpot did not report the result for this contact; the next run tries again.',
    },
    LOCKED: { sort: 'passing', sentence: 'Another user was changing this contact.' },
    NOT_SEPARATED: {
      sort: 'record',
      sentence:
        'HubSpot refused a request with this contact and others, and did not name the contact ' +
        'or the property.',
    },
    VALUE_NOT_SEPARATED: {
      sort: 'record',
      sentence:
        'HubSpot refused a property value in a request with several contacts, and did not name the ' +
        'contact. The property was not written.',
      cause: 'rule',
    },
    [BREAKS_RULE]: {
      sort: 'record',
      sentence:
        'A value breaks a validation rule that your account has for its property, so it was not written.',
      cause: 'rule',
    },
    LEADING_TRAILING_WHITESPACE: {
      sort: 'record',
      sentence: 'A value starts or ends with white space, which its property does not accept.',
      cause: 'does_not_fit',
    },
    OBJECT_MERGED: {
      sort: 'passing',
      sentence: 'The contact was merged into another contact in the meantime.',
    },
    CONFLICT: {
      sort: 'record',
      sentence: 'Another contact already has a value that must be unique.',
      cause: 'rule',
    },
    PROPERTY_DOESNT_EXIST: {
      sort: 'property',
      sentence: 'A property no longer exists: create it again, or map another one.',
      cause: 'no_such_field',
    },
    READ_ONLY_VALUE: {
      sort: 'property',
      sentence: 'A property is calculated by HubSpot and cannot be written: map another one.',
      cause: 'no_permission',
    },
    INVALID_OPTION: {
      sort: 'record',
      sentence: 'A value is not an option of its property: add the option in HubSpot.',
      cause: 'does_not_fit',
    },
    INVALID_DATE: {
      sort: 'record',
      sentence: 'A value is not a date that HubSpot accepts.',
      cause: 'does_not_fit',
    },
    INVALID_INTEGER: {
      sort: 'record',
      sentence: 'A value is not a whole number.',
      cause: 'does_not_fit',
    },
    INVALID_NUMBER: { sort: 'record', sentence: 'A value is not a number.', cause: 'does_not_fit' },
    INVALID_LONG: {
      sort: 'record',
      sentence: 'A number is too large for its property.',
      cause: 'does_not_fit',
    },
    INVALID_EMAIL: {
      sort: 'record',
      sentence: 'A value is not an email address.',
      cause: 'does_not_fit',
    },
    PROPERTY_VALUE_TOO_LONG: {
      sort: 'record',
      sentence: 'A value is longer than HubSpot allows.',
      cause: 'does_not_fit',
    },
    MISSING_REQUIRED_PROPERTY: {
      sort: 'record',
      sentence: 'The contact lacks a value that your account requires: fill it in.',
      cause: 'rule',
    },
    MISSING_CONDITIONAL_REQUIRED_PROPERTY: {
      sort: 'record',
      sentence:
        'A rule of your account requires another value in addition to this one: fill it in.',
      cause: 'rule',
    },
    VALIDATION_ERROR: {
      sort: 'record',
      sentence: 'A rule of your account refuses a value.',
      keepsWords: true,
      cause: 'rule',
    },
  } satisfies Record<string, ErrorMeaning>),
);

const UNKNOWN_MEANING: ErrorMeaning = {
  sort: 'record',
  sentence: 'HubSpot refuses the change; its code says why.',
  keepsWords: true,
};

/** Codes that have the same meaning as a code above. */
const SAME_MEANING: Readonly<Record<string, string>> = {
  PROPERTY_NOT_FOUND: 'PROPERTY_DOESNT_EXIST',
  READ_ONLY_PROPERTY: 'READ_ONLY_VALUE',
  PROPERTY_READ_ONLY: 'READ_ONLY_VALUE',
  NOT_FOUND: 'OBJECT_NOT_FOUND',
  OBJECT_ALREADY_EXISTS: 'CONFLICT',
};

export function getErrorSort(code: string): ErrorSort {
  return getMeaning(code).sort;
}

/** Returns true if this file defines the meaning of the code. An account's validation rules may have other codes. */
export function isKnownCode(code: string): boolean {
  return MEANINGS.has(SAME_MEANING[code] ?? code);
}

function getMeaning(code: string): ErrorMeaning {
  return MEANINGS.get(SAME_MEANING[code] ?? code) ?? UNKNOWN_MEANING;
}

/**
 * Returns the reason why HubSpot rejects the values of these properties. Returns null if HubSpot reports no reason.
 * Wrong types, lengths and options have their own codes, so an error with a different code and a property is about a
 * validation rule.
 */
export function getCause({ code, problems }: HubspotFault): RefusalCause | null {
  const known = MEANINGS.get(SAME_MEANING[code] ?? code);
  if (known !== undefined) return known.cause ?? null;
  return problems.length > 0 && /^[A-Z]/.test(code) ? 'rule' : null;
}

/** Returns true for an error that occurs because another user is changing the record. */
export function isLock(code: string): boolean {
  return code === 'LOCKED';
}

/** Returns true if a value may cause the error with this code, although the error names no property. */
export function mayBeOfValue(code: string): boolean {
  return /^(VALIDATION_ERROR$|CONFLICT$|INVALID_(?!AUTH)|PROPERTY_VALUE_)/.test(
    SAME_MEANING[code] ?? code,
  );
}

/** Returns true if another contact already has a value that must be unique. */
export function isConflict(code: string): boolean {
  return (SAME_MEANING[code] ?? code) === 'CONFLICT';
}

/**
 * Returns the sentence for a rejected record or request. The sentence is our own text, and contains the names of
 * properties and scopes.
 */
export function sentenceFor(fault: HubspotFault): string {
  const { code, scopes } = fault;
  const fields = listBlamedFields(fault);
  const named = fields.length > 0 ? ` Properties: ${fields.join(', ')}.` : '';
  const missing = scopes.length > 0 ? ` Scopes: ${scopes.join(', ')}.` : '';
  return getMeaning(code).sentence + named + missing;
}

/** Returns the properties that caused the error, each once. */
export function listBlamedFields({ problems }: HubspotFault): string[] {
  return [...new Set(problems.map(({ property }) => property))];
}

/** The text that tells users how to fix a rejected sign-in. */
export const SIGN_IN_FIX =
  'Check crm.auth in the settings, and in HubSpot that the key or the app is still there.';

/**
 * Creates one of the four kinds of error for a request that failed as a whole. The function `faultBehind` returns
 * HubSpot's error again.
 */
export function requestError(fault: HubspotFault): DonorSyncError {
  const { words, ...facts } = fault;
  const background = { details: { fault: facts }, words };
  const sentence = sentenceFor(fault);
  if (fault.code === 'MISSING_SCOPES') {
    return new ConfigurationError(sentence, { ...background, code: 'crm_scope_missing' });
  }
  switch (getErrorSort(fault.code)) {
    case 'session':
      return signInRefused(`${sentence} ${SIGN_IN_FIX}`, background);
    case 'limit':
      return limitUsedUp(sentence, background);
    case 'passing':
      return passingFailure(sentence, background);
    case 'settings':
    case 'property':
    case 'record':
      return requestRefused(`HubSpot refused a request (${fault.code}). ${sentence}`, background);
  }
}

const faultSchema = z.object({
  status: z.number(),
  code: z.string(),
  problems: z.array(
    z.object({
      property: z.string(),
      code: z.string(),
      says: z.custom<ForeignText>((said) => typeof said === 'object').nullable(),
    }),
  ),
  scopes: z.array(z.string()),
});

/** Returns HubSpot's error from an error that `requestError` created, or null. */
export function faultBehind(error: unknown): HubspotFault | null {
  if (!(error instanceof DonorSyncError)) return null;
  const facts = faultSchema.safeParse(error.details['fault']).data;
  return facts === undefined ? null : { ...facts, words: error.words };
}

/** Returns the HubSpot code in one of our errors, or null if the error has no such code. */
export function getCrmCode(error: unknown): string | null {
  return faultBehind(error)?.code ?? null;
}

const contextSchema = z.record(z.string(), z.array(z.string()));

/** The schema of HubSpot's errors. Every part may be missing (CRM facts, section B5). */
export const errorBodySchema = z.object({
  message: z.string().default(''),
  category: z.string().optional(),
  policyName: z.string().optional(),
  context: contextSchema.optional().catch(undefined),
  errors: z
    .array(
      z.object({
        code: z.string().optional(),
        message: z.string().default('').catch(''),
        context: contextSchema.optional().catch(undefined),
      }),
    )
    .optional()
    .catch(undefined),
});

export type ErrorBody = z.infer<typeof errorBodySchema>;

/** Parses the body of a rejected request, or one error of a batch. */
export function parseFault(status: number, body: unknown): HubspotFault {
  const parsed = errorBodySchema.safeParse(body).data;
  if (parsed === undefined) return bareFault(status);
  const { message, category, errors = [], context } = parsed;
  const listed = listedProblems(message);
  const named =
    rateCode(status, parsed) ??
    listed[0]?.code ??
    errors.find((error) => error.code !== undefined)?.code ??
    category ??
    bareFault(status).code;
  const code = foreignCode(named);
  const blamed = [{ context }, ...errors].flatMap((error) => blamedIn(error, code));
  const problems = (listed.length > 0 ? listed : blamed).flatMap(plainProblem);
  const contexts = [context ?? {}, ...errors.map((error) => error.context ?? {})];
  const scopes = [...new Set(contexts.flatMap(scopesIn))].filter((scope) => SCOPE.test(scope));
  const fields = problems.map(({ property }) => property);
  const words = getMeaning(code).keepsWords ? foreignText(message, { code, fields }) : null;
  return { status, code, words, problems, scopes };
}

/**
 * Returns a problem that contains only codes and names. Codes and names have a fixed form. Any text without a fixed
 * form may contain people's values.
 */
function plainProblem({ property, code, message }: RawProblem): PropertyProblem[] {
  return foreignFields([property]).map((name) => {
    const ours = foreignCode(code);
    const says = foreignText(message, { code: ours, fields: [name] });
    return { property: name, code: ours, says };
  });
}

interface RawProblem {
  property: string;
  code: string;
  message: string;
}

const SCOPE = /^[a-z][a-z0-9._:-]{0,99}$/i;

function bareFault(status: number): HubspotFault {
  const code = STATUS_CODES[status] ?? `HTTP_${status}`;
  return { status, code, words: null, problems: [], scopes: [] };
}

const STATUS_CODES: Readonly<Record<number, string>> = {
  401: 'INVALID_AUTHENTICATION',
  404: 'OBJECT_NOT_FOUND',
  409: 'CONFLICT',
  429: 'RATE_LIMITS',
};

function rateCode(status: number, { policyName }: ErrorBody): string | null {
  if (status !== 429) return null;
  return policyName === 'DAILY' ? 'DAILY' : 'RATE_LIMITS';
}

const listedSchema = z.array(
  z.object({ name: z.string(), error: z.string(), message: z.string().default('').catch('') }),
);

/**
 * Parses the list of properties at the end of an error message. If values are invalid, HubSpot's message ends with this
 * list as JSON.
 */
function listedProblems(message: string): RawProblem[] {
  const start = message.indexOf('[{');
  if (start === -1) return [];
  try {
    const listed = listedSchema.parse(
      JSON.parse(message.slice(start, message.lastIndexOf(']') + 1)),
    );
    return listed.map(({ name, error, message: said }) => ({
      property: name,
      code: error,
      message: said,
    }));
  } catch {
    return [];
  }
}

type ErrorDetail = Partial<NonNullable<ErrorBody['errors']>[number]>;

function blamedIn({ code, context, message = '' }: ErrorDetail, otherwise: string): RawProblem[] {
  const { propertyName = [], propertyNames = [] } = context ?? {};
  const names = [...propertyName, ...propertyNames];
  return names.map((property) => ({ property, code: code ?? otherwise, message }));
}

function scopesIn(context: Readonly<Record<string, string[]>>): string[] {
  return Object.entries(context).flatMap(([key, values]) => (/scopes$/i.test(key) ? values : []));
}

/** Parses the body of a response with the schema. Throws a RetriableError if the body has a different form. */
export function readAs<Shape>(schema: z.ZodType<Shape>, body: unknown): Shape {
  return readAnswer('HubSpot', schema, body);
}
