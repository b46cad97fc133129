/** Computes the times that the model uses from nights that were measured. */

import type { Step, Work } from './model.ts';
import type { Night } from './night.ts';

/** The time of a run, divided into a fixed part and a part for each submitted contact. */
export interface Times {
  aRun: Step;
  aContact: Step;
}

export interface MeasuredNight {
  integrations: number;
  contacts: number;
  night: Night;
}

/**
 * The number of requests per contact. A submission contains a hundred people, and a request for results contains ten
 * jobs.
 */
const REQUESTS_A_CONTACT = 1 / 100 + 1 / 10;

/**
 * Computes the times of a run and of a contact from two measured nights in which the runs follow one another. One
 * measured night has few contacts, and the second night has many.
 */
export function timesOf(few: MeasuredNight, many: MeasuredNight): Times {
  const more = many.contacts - few.contacts;
  const slope = (of: (night: Night) => number) =>
    Math.max(0, of(many.night) / many.integrations - of(few.night) / few.integrations) / more;
  const rest = (of: (night: Night) => number) =>
    Math.max(0, of(few.night) / few.integrations - slope(of) * few.contacts);
  const step = (part: typeof slope, requests: number): Step => ({
    waitMs: part(({ seconds }) => seconds * 1_000),
    workerMs: part(({ workerMs }) => workerMs),
    databaseMs: part(({ databaseMs }) => databaseMs),
    requests,
  });
  return { aRun: step(rest, 0), aContact: step(slope, REQUESTS_A_CONTACT) };
}

/**
 * The number of pieces in which a run and a hundred contacts are processed. With these pieces, several runs of a worker
 * alternate as real runs do.
 */
const PIECES_A_RUN = 10;
const CONTACTS_A_PIECE = 25;

export function stepsOf({ aRun, aContact }: Times, contacts: number): Work['steps'] {
  return [
    { ...scaled(aRun, 1 / PIECES_A_RUN), times: PIECES_A_RUN },
    { ...scaled(aContact, CONTACTS_A_PIECE), times: Math.ceil(contacts / CONTACTS_A_PIECE) },
  ];
}

function scaled({ waitMs, workerMs, databaseMs, requests }: Step, factor: number): Step {
  return {
    waitMs: waitMs * factor,
    workerMs: workerMs * factor,
    databaseMs: databaseMs * factor,
    requests: requests * factor,
  };
}
