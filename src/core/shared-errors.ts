import { ConfigurationError, type Refusal } from './errors.ts';
import { didYouMean } from './near-miss.ts';

/** Creates the error for a client that does not exist, is inaccessible, or is no longer in the settings. */
export function unknownClient(
  id: string,
  { known = [], next, refusal = 'unknown' }: UnknownClientFacts = {},
): ConfigurationError {
  const near = didYouMean(id, known) || '.';
  const more = next === undefined ? '' : ` ${next}`;
  return new ConfigurationError(`There is no client "${id}"${near} Nothing was changed.${more}`, {
    code: 'integration_unknown',
    refusal,
    details: { integration: id },
  });
}

interface UnknownClientFacts {
  /** The IDs that the caller may have meant. */
  known?: Iterable<string>;
  /** The next step, if searching for another ID is not enough. */
  next?: string;
  refusal?: Refusal;
}

/** Creates the error for an action that access tokens may never carry out. `act` follows the words "may not". */
export function personNeeded(
  act: string,
  command: string,
  details: Readonly<Record<string, unknown>> = {},
): ConfigurationError {
  return new ConfigurationError(
    `An access token may not ${act}, whatever its role. Nothing was changed. Sign in as a user, or use the terminal: donor-sync ${command}`,
    { code: 'person_needed', refusal: 'forbidden', details },
  );
}

/** Creates the error for an action that requires access to all clients. `why` is one sentence. */
export function reachInsufficient(
  why = 'This affects all clients, and you have access to only some of them.',
  details: Readonly<Record<string, unknown>> = {},
): ConfigurationError {
  return new ConfigurationError(
    `${why} Nothing was changed. Ask a user with access to all clients.`,
    {
      code: 'reach_insufficient',
      refusal: 'forbidden',
      details,
    },
  );
}

/** Creates the error for an invalid request. `problem` explains the mistake. */
export function invalidRequest(
  problem: string,
  details: Readonly<Record<string, unknown>> = {},
): ConfigurationError {
  return new ConfigurationError(problem, { code: 'request_invalid', refusal: 'invalid', details });
}

export function unknownRun(
  id: string,
  { known = [], isRead = false, isShortEnough = false }: UnknownRunFacts = {},
): ConfigurationError {
  const near = didYouMean(id, known) || '.';
  const nothing = isRead ? '' : ' Nothing was changed.';
  const next = isShortEnough
    ? '`donor-sync runs` lists the runs with the end of each ID, which you can use.'
    : 'List the runs with their whole IDs: donor-sync runs --json';
  return new ConfigurationError(`There is no run "${id}"${near}${nothing} ${next}`, {
    code: 'run_unknown',
    refusal: 'unknown',
    details: { run: id },
  });
}

interface UnknownRunFacts {
  /** The IDs that the caller may have meant. */
  known?: Iterable<string>;
  /** True if the operation would only have read data. */
  isRead?: boolean;
  /** True if the user may type only the last characters of an ID. */
  isShortEnough?: boolean;
}

/**
 * Creates the error for a contact that does not exist. `source` is the place of the search: the CRM or the database.
 */
export function unknownContact(
  integration: string,
  contact: string,
  { source, near = [], next, details = {}, refusal }: UnknownContactFacts,
): ConfigurationError {
  const others = near.length === 0 ? '' : ` Similar IDs: ${near.join(', ')}.`;
  const more = next === undefined ? '' : ` ${next}`;
  return new ConfigurationError(
    `There is no contact "${contact}" in ${SOURCES[source](integration)}. Nothing was changed.${others}${more}`,
    {
      code: 'contact_unknown',
      details: { integration, contact, ...details },
      ...(refusal && { refusal }),
    },
  );
}

const SOURCES = {
  CRM: (id: string) => `the CRM of "${id}"`,
  database: (id: string) => `the database of "${id}"`,
  both: (id: string) => `the database or the CRM of "${id}"`,
  'database alone': (id: string) => `the database of "${id}", and its CRM could not be queried`,
};

interface UnknownContactFacts {
  source: keyof typeof SOURCES;
  /** The IDs that the caller may have meant. */
  near?: readonly string[];
  next?: string;
  details?: Readonly<Record<string, unknown>>;
  refusal?: Refusal;
}
