import { z } from 'zod';
import { RetriableError } from '../../src/core/errors.ts';
import { foreignCode, foreignFields } from '../../src/core/foreign-text.ts';
import type { ContactChange, WriteResult } from '../contract.ts';
import { crmCodeOf, meaningOf, type SalesforceFault, sentenceFor, wordsOfFault } from './errors.ts';
import { contactIdOrText } from './ids.ts';
import type { SalesforceSession } from './session.ts';

/** What became of the records of one request. */
export interface CollectionResult {
  results: WriteResult[];
  /** Another user was at these; they are worth another try soon. */
  locked: ContactChange[];
}

const saveResultsSchema = z.array(
  z.object({
    success: z.boolean(),
    errors: z
      .array(
        z.object({
          statusCode: z.string(),
          message: z.string().default(''),
          fields: z.array(z.string()).nullish(),
        }),
      )
      .default([]),
  }),
);

/** A value that Salesforce cannot read fails the whole request before any record is looked at. */
const UNREADABLE_VALUE = 'JSON_PARSER_ERROR';

/** Writes at most 200 changes in one request, each on its own account (`allOrNone: false`). */
export async function writeCollection(
  session: Pick<SalesforceSession, 'api'>,
  changes: readonly ContactChange[],
): Promise<CollectionResult> {
  const records = changes.map(({ id, values }) => ({
    attributes: { type: 'Contact' },
    id: contactIdOrText(id),
    ...values,
  }));
  try {
    const reply = await session.api.send('PATCH', '/composite/sobjects', {
      allOrNone: false,
      records,
    });
    return sorted(changes, saveResultsSchema.parse(reply));
  } catch (error) {
    if (crmCodeOf(error) !== UNREADABLE_VALUE) throw error;
    return writeHalves(session, changes);
  }
}

/** Finds the record with the unreadable value, so that the others are written. */
async function writeHalves(
  session: Pick<SalesforceSession, 'api'>,
  changes: readonly ContactChange[],
): Promise<CollectionResult> {
  const [only] = changes;
  if (only !== undefined && changes.length === 1) {
    const fault = { code: UNREADABLE_VALUE, message: '', fields: Object.keys(only.values) };
    return { results: [refusal(only.id, fault)], locked: [] };
  }
  const middle = Math.ceil(changes.length / 2);
  const first = await writeCollection(session, changes.slice(0, middle));
  const second = await writeCollection(session, changes.slice(middle));
  return {
    results: [...first.results, ...second.results],
    locked: [...first.locked, ...second.locked],
  };
}

/** The results come in the order of the records. */
function sorted(
  changes: readonly ContactChange[],
  saved: z.infer<typeof saveResultsSchema>,
): CollectionResult {
  if (saved.length !== changes.length) {
    throw new RetriableError('Salesforce gave another number of results than records.', {
      code: 'crm_unavailable',
    });
  }
  const results: WriteResult[] = [];
  const locked: ContactChange[] = [];
  for (const [at, change] of changes.entries()) {
    const fault = faultOf(saved[at]);
    if (fault === null) results.push({ status: 'written', id: change.id });
    else if (meaningOf(fault).sort === 'lock') locked.push(change);
    else results.push(refusal(change.id, fault));
  }
  return { results, locked };
}

function faultOf(
  result: z.infer<typeof saveResultsSchema>[number] | undefined,
): SalesforceFault | null {
  if (result?.success) return null;
  const error = result?.errors[0];
  const fields = result?.errors.flatMap((each) => each.fields ?? []) ?? [];
  return {
    code: error?.statusCode ?? 'UNKNOWN_EXCEPTION',
    message: error?.message ?? '',
    fields: [...new Set(fields)],
  };
}

/** Which refusals a later run may get past. */
const PASSING_SORTS: ReadonlySet<string> = new Set(['lock', 'passing', 'limit', 'session']);

/** A refused record in words. */
export function refusal(id: string, fault: SalesforceFault): WriteResult {
  const words = wordsOfFault(fault);
  return {
    status: 'refused',
    id,
    retriable: PASSING_SORTS.has(meaningOf(fault).sort),
    code: foreignCode(fault.code),
    message: sentenceFor(fault),
    fields: foreignFields(fault.fields),
    ...(words === null ? {} : { words }),
  };
}
