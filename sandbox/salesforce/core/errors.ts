/** The errors of the org. An error concerns a whole request or a single record. */

/** The reason why Salesforce rejects a record. */
export interface RecordError {
  /** The error code, for example `STRING_TOO_LONG`. */
  statusCode: string;
  message: string;
  /** The fields that caused the error. */
  fields: string[];
}

export interface SaveResult {
  /** The ID, or null if Salesforce did not create the record. */
  id: string | null;
  success: boolean;
  errors: RecordError[];
}

/** The error that rejects a whole request. */
export class SalesforceError extends Error {
  override name = 'SalesforceError';
  readonly status: number;
  /** The error code, for example `INVALID_FIELD`. */
  readonly errorCode: string;
  readonly fields: readonly string[] | undefined;

  constructor(
    status: number,
    errorCode: string,
    message: string,
    options: { fields?: readonly string[]; cause?: unknown } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : {});
    this.status = status;
    this.errorCode = errorCode;
    this.fields = options.fields;
  }
}

/** Returns the body of the response to a rejected request. */
export function errorBody({ message, errorCode, fields }: SalesforceError) {
  return [{ message, errorCode, ...(fields === undefined ? {} : { fields }) }];
}

/** Creates the error for a request that names an unknown object. */
export function unknownType(name: string): SalesforceError {
  return new SalesforceError(
    400,
    'INVALID_TYPE',
    `sObject type '${name}' is not supported. If you are attempting to use a custom object, be sure to append the '__c' after the entity name. Please reference your WSDL or the describe call for the appropriate names.`,
  );
}

/** Creates the error for a path that does not exist. */
export function notFound(): SalesforceError {
  return new SalesforceError(404, 'NOT_FOUND', 'The requested resource does not exist');
}

/** Creates the error for a request without a valid token. */
export function sessionError(): SalesforceError {
  return new SalesforceError(401, 'INVALID_SESSION_ID', 'Session expired or invalid');
}

export function dailyLimitError(): SalesforceError {
  return new SalesforceError(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.');
}

/** Creates the error for a user without a setup permission. */
export function noRightError(): SalesforceError {
  return new SalesforceError(403, 'INSUFFICIENT_ACCESS_OR_READONLY', NO_RIGHT_MESSAGE);
}

export const NO_RIGHT_MESSAGE = 'insufficient access rights on object id';

export function recordError(
  statusCode: string,
  message: string,
  fields: string[] = [],
): RecordError {
  return { statusCode, message, fields };
}

/** Returns the result for a written record. */
export function saved(id: string): SaveResult {
  return { id, success: true, errors: [] };
}

/** Returns the result for a rejected record. */
export function refused(id: string | null, ...errors: RecordError[]): SaveResult {
  return { id, success: false, errors };
}

/** Converts the error of a record to an error of the whole request, with the matching status. */
export function toRequestError({ errors }: SaveResult): SalesforceError {
  const [error] = errors;
  if (error === undefined) throw new Error('A record that was written has no error.');
  const status = STATUS_OF_CODE[error.statusCode] ?? 400;
  return new SalesforceError(status, error.statusCode, error.message, { fields: error.fields });
}

const STATUS_OF_CODE: Partial<Record<string, number>> = {
  ENTITY_IS_DELETED: 404,
  NOT_FOUND: 404,
  INVALID_CROSS_REFERENCE_KEY: 404,
  INSUFFICIENT_ACCESS_OR_READONLY: 403,
};
