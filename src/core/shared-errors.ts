/** The errors that more than one topic gives: each code has one wording, wherever it is found out. */
import { ConfigurationError, type Refusal } from './errors.ts';
import { didYouMean } from './near-miss.ts';

/** A client that does not exist, that the caller has no access to, or that is no longer in the settings. */
export function unknownClient(
  id: string,
  { known = [], next, refusal = 'unknown' }: UnknownClientFacts = {},
): ConfigurationError {
  const near = didYouMean(id, known) || '.';
  const more = next === undefined ? '' : ` ${next}`;
  return new ConfigurationError(
    `There is no integration "${id}"${near} Nothing was changed.${more}`,
    {
      code: 'integration_unknown',
      refusal,
      details: { integration: id },
    },
  );
}

interface UnknownClientFacts {
  /** The IDs that the caller could have meant. */
  known?: Iterable<string>;
  /** What to do, if more is needed than to look for another ID. */
  next?: string;
  refusal?: Refusal;
}

/** Refuses an action that access tokens may not do, whatever their role. `act` continues "may not". */
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

/** Refuses an action that needs access to all clients. `why` is one sentence. */
export function reachInsufficient(
  why = 'This is about all integrations, and you reach some of them.',
  details: Readonly<Record<string, unknown>> = {},
): ConfigurationError {
  return new ConfigurationError(`${why} Nothing was changed. Ask a user who reaches all clients.`, {
    code: 'reach_insufficient',
    refusal: 'forbidden',
    details,
  });
}

/** Input that does not fit its schema; `problem` says what is wrong with it. */
export function invalidRequest(
  problem: string,
  details: Readonly<Record<string, unknown>> = {},
): ConfigurationError {
  return new ConfigurationError(problem, { code: 'request_invalid', refusal: 'invalid', details });
}

/** A run that does not exist, or that belongs to a client without access for the caller. */
export function unknownRun(
  id: string,
  { known = [], isRead = false, isShortEnough = false }: UnknownRunFacts = {},
): ConfigurationError {
  const near = didYouMean(id, known) || '.';
  const nothing = isRead ? '' : ' Nothing was changed.';
  const next = isShortEnough
    ? '`donor-sync runs` lists the runs with the end of each ID, which is enough.'
    : 'List the runs with their whole IDs: donor-sync runs --json';
  return new ConfigurationError(`There is no run "${id}"${near}${nothing} ${next}`, {
    code: 'run_unknown',
    refusal: 'unknown',
    details: { run: id },
  });
}

interface UnknownRunFacts {
  /** The IDs that the caller could have meant. */
  known?: Iterable<string>;
  /** True if nothing would have been changed anyway. */
  isRead?: boolean;
  /** True for a user who may type the end of an ID. */
  isShortEnough?: boolean;
}

/** A contact that does not exist. `source` names the CRM or database that was searched. */
export function unknownContact(
  integration: string,
  contact: string,
  { source, near = [], next, details = {}, refusal }: UnknownContactFacts,
): ConfigurationError {
  const others = near.length === 0 ? '' : ` Near it there are: ${near.join(', ')}.`;
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
  /** The IDs that the caller could have meant. */
  near?: readonly string[];
  /** One sentence that says what to do. */
  next?: string;
  details?: Readonly<Record<string, unknown>>;
  refusal?: Refusal;
}
