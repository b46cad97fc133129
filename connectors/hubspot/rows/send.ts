import { z } from 'zod';
import type { HubspotApi } from '../api.ts';
import type { Properties } from '../describe.ts';
import {
  type ErrorBody,
  errorBodySchema,
  faultBehind,
  getErrorSort,
  type HubspotFault,
  listBlamedFields,
  parseFault,
  readAs,
} from '../errors.ts';
import type { RuleBook } from '../validations/rule-book.ts';
import type { Lessons } from './lessons.ts';
import { BATCH_STATUS, type Row } from './row.ts';

export const BATCH_ROWS = 100;

/** The dependencies of the functions that write a batch. */
export interface Writer {
  api: Pick<HubspotApi, 'readRecords' | 'updateContacts'>;
  properties: Properties;
  lessons: Lessons;
  rules: RuleBook;
}

type Answer =
  | { refusedFor: HubspotFault }
  | { refusedFor: null; reply: z.infer<typeof replySchema> };

export async function send({ api }: Writer, rows: readonly Row[]): Promise<Answer> {
  try {
    const reply = readAs(replySchema, await api.updateContacts(rows));
    return { refusedFor: null, reply };
  } catch (error) {
    const fault = faultBehind(error);
    if (fault === null || !ABOUT_ROWS.has(fault.status)) throw error;
    return { refusedFor: fault };
  }
}

/** The HTTP statuses that reject a whole batch because of one row. */
const ABOUT_ROWS: ReadonlySet<number> = new Set([400, 409]);

export const replySchema = z.object({
  results: z.array(z.object({ id: z.string() })),
  errors: z.array(errorBodySchema).default([]),
});

export function faultsById(errors: readonly ErrorBody[]): Map<string, HubspotFault> {
  const faults = new Map<string, HubspotFault>();
  for (const error of errors) {
    const { ids = [], id = [], objectWriteTraceId = [] } = error.context ?? {};
    for (const each of [...ids, ...id, ...objectWriteTraceId]) {
      faults.set(each, parseFault(BATCH_STATUS, error));
    }
  }
  return faults;
}

/** Returns the properties of these rows that a permanent error names. */
export function blamedIn(fault: HubspotFault, rows: readonly Row[]): string[] {
  if (getErrorSort(fault.code) === 'passing') return [];
  return listBlamedFields(fault).filter((name) =>
    rows.some(({ properties }) => name in properties),
  );
}
