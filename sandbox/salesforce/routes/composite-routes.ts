/** The resource `/composite`. A request contains several subrequests. */

import { Hono } from 'hono';
import { z } from 'zod';
import { SalesforceError } from '../core/errors.ts';
import type { Org } from '../org/org.ts';
import type { SalesforceContext, SalesforceEnv } from '../requests/context.ts';
import { readJson } from '../requests/json-values.ts';
import type { Turns } from '../requests/turns.ts';

const MAX_SUBREQUESTS = 25;
/** The maximum number of subrequests that contain a query or a collection of records. */
const MAX_HEAVY_SUBREQUESTS = 5;
const MAX_GRAPHS = 75;
/** The maximum number of subrequests in all graphs together. */
const MAX_NODES = 500;

const compositeSchema = z.object({
  allOrNone: z.boolean().default(false),
  /** True if the org may group subrequests that do not refer to each other, and change their order. */
  collateSubrequests: z.boolean().default(true),
  compositeRequest: z.array(
    z.looseObject({
      method: z.string(),
      url: z.string(),
      referenceId: z.string(),
      body: z.unknown().optional(),
      httpHeaders: z.record(z.string(), z.string()).nullish(),
    }),
  ),
});

const graphSchema = z.object({
  graphs: z.array(
    z.object({ graphId: z.string(), compositeRequest: compositeSchema.shape.compositeRequest }),
  ),
});

const batchSchema = z.object({
  haltOnError: z.boolean().default(false),
  batchRequests: z.array(
    z.looseObject({ method: z.string(), url: z.string(), richInput: z.unknown().optional() }),
  ),
});

type Subrequest = z.output<typeof compositeSchema>['compositeRequest'][number];

/** Sends a subrequest through the API with the same client. */
export type Dispatch = (c: SalesforceContext, request: Request) => Promise<Response>;

/** Returns the resource of composite requests. */
export function compositeRoutes(org: Org, turns: Turns, dispatch: Dispatch): Hono<SalesforceEnv> {
  const router = new Hono<SalesforceEnv>();
  router.post('/composite', async (c) => {
    const { allOrNone, collateSubrequests, compositeRequest } = readJson(
      compositeSchema,
      c.var.body,
    );
    checkCount('subrequests', compositeRequest.length, MAX_SUBREQUESTS);
    const heavy = compositeRequest.filter(({ url }) => HEAVY.test(url));
    checkCount('query and collection subrequests', heavy.length, MAX_HEAVY_SUBREQUESTS);
    const ordered = collateSubrequests ? collated(compositeRequest) : compositeRequest;
    const work = async () => {
      const responses = await runAll(c, org, allOrNone, ordered, dispatch);
      // The responses have the order of the subrequests, even if the subrequests were executed in a different order.
      return compositeRequest.map((one) => responses[ordered.indexOf(one)]);
    };
    // The request runs alone, because a rollback would also undo the work of other requests.
    return c.json({ compositeResponse: await (allOrNone ? turns.alone(work) : work()) });
  });
  router.post('/composite/graph', async (c) => {
    const { graphs } = readJson(graphSchema, c.var.body);
    checkCount('graphs', graphs.length, MAX_GRAPHS);
    const nodes = graphs.reduce((sum, { compositeRequest }) => sum + compositeRequest.length, 0);
    checkCount('nodes', nodes, MAX_NODES);
    const answers: object[] = [];
    await turns.alone(async () => {
      for (const { graphId, compositeRequest } of graphs) {
        const compositeResponse = await runAll(c, org, true, compositeRequest, dispatch);
        const isSuccessful = !compositeResponse.some(isFailed);
        answers.push({ graphId, graphResponse: { compositeResponse }, isSuccessful });
      }
    });
    return c.json({ graphs: answers });
  });
  router.post('/composite/batch', async (c) => {
    const { haltOnError, batchRequests } = readJson(batchSchema, c.var.body);
    checkCount('subrequests', batchRequests.length, MAX_SUBREQUESTS);
    const results: { statusCode: number; result: unknown }[] = [];
    for (const { method, url, richInput } of batchRequests) {
      if (haltOnError && results.some(({ statusCode }) => statusCode >= 400)) {
        results.push(BATCH_HALTED);
        continue;
      }
      // In this resource, paths start with the version.
      const path = /^\/?v\d+\.0\//.test(url) ? `/services/data/${url.replace(/^\//, '')}` : url;
      const subrequest = { method, url: path, referenceId: '', body: richInput };
      const { httpStatusCode, body } = await run(c, subrequest, [], dispatch);
      results.push({ statusCode: httpStatusCode, result: body });
    }
    return c.json({ hasErrors: results.some(({ statusCode }) => statusCode >= 400), results });
  });
  return router;
}

const HEAVY = /\/services\/data\/v\d+\.0\/(?:query(?:All)?\b|composite\/sobjects\b)/;

/**
 * Changes the order of independent subrequests, as a real org groups them by kind. In this stand-in, subrequests that
 * only read come last. A client that relies on the order of its subrequests therefore fails in tests.
 */
function collated(subrequests: readonly Subrequest[]): Subrequest[] {
  const isTied = subrequests.some((one) => JSON.stringify(one).includes('@{'));
  if (isTied) return [...subrequests];
  const isReading = ({ method }: Subrequest) => method.toUpperCase() === 'GET';
  return [
    ...subrequests.filter((one) => !isReading(one)),
    ...subrequests.filter((one) => isReading(one)),
  ];
}

const BATCH_HALTED = {
  statusCode: 412,
  result: [
    {
      errorCode: 'BATCH_PROCESSING_HALTED',
      message: 'Batch processing halted per request',
    },
  ],
};

function checkCount(what: string, count: number, most: number): void {
  if (count <= most) return;
  throw new SalesforceError(400, 'LIMIT_EXCEEDED', `The maximum number of ${what} is ${most}`);
}

interface Subresponse {
  body: unknown;
  httpHeaders: Record<string, string>;
  httpStatusCode: number;
  referenceId: string;
}

/**
 * Runs all subrequests. With `allOrNone`, one failed subrequest rolls back all subrequests, and later subrequests are
 * not attempted.
 */
async function runAll(
  c: SalesforceContext,
  org: Org,
  allOrNone: boolean,
  subrequests: readonly Subrequest[],
  dispatch: Dispatch,
): Promise<Subresponse[]> {
  const responses: Subresponse[] = [];
  if (allOrNone) org.db.exec('savepoint composite');
  try {
    for (const subrequest of subrequests) {
      const isHalted = allOrNone && responses.some(isFailed);
      responses.push(isHalted ? halted(subrequest) : await run(c, subrequest, responses, dispatch));
    }
  } finally {
    if (allOrNone && responses.some(isFailed)) {
      org.db.exec('rollback to composite');
      org.access.forget();
    }
    if (allOrNone) org.db.exec('release composite');
  }
  const isTakenBack = allOrNone && responses.some(isFailed);
  return isTakenBack ? responses.map((one) => (isFailed(one) ? one : halted(one))) : responses;
}

async function run(
  c: SalesforceContext,
  subrequest: Subrequest,
  before: readonly Subresponse[],
  dispatch: Dispatch,
): Promise<Subresponse> {
  const { method, referenceId, body, httpHeaders } = subrequest;
  const url = new URL(fillIn(subrequest.url, before), new URL(c.req.url).origin);
  const text = body === undefined ? null : fillIn(JSON.stringify(body), before);
  const request = new Request(url, {
    method,
    headers: {
      ...httpHeaders,
      authorization: c.req.header('authorization') ?? '',
      'content-type': 'application/json',
    },
    body: text,
  });
  const response = await dispatch(c, request);
  const answer = await response.text();
  const location = response.headers.get('location');
  return {
    body: answer === '' ? null : JSON.parse(answer),
    httpHeaders: location === null ? {} : { Location: location },
    httpStatusCode: response.status,
    referenceId,
  };
}

/** Replaces `@{refId.field}` by a value from the response to an earlier subrequest. */
function fillIn(text: string, before: readonly Subresponse[]): string {
  return text.replaceAll(/@\{(\w+)\.([^}]+)\}/g, (whole, referenceId: string, path: string) => {
    const found = before.find((one) => one.referenceId === referenceId);
    if (found === undefined) return whole;
    const value = valueAt(found.body, path);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
  });
}

/** Returns the value at a path such as `records[0].Id`. */
function valueAt(body: unknown, path: string): unknown {
  let value = body;
  for (const step of path.split(/[.[\]]+/).filter((part) => part !== '')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([name]) => name === step)?.[1];
  }
  return value;
}

function isFailed({ httpStatusCode }: Subresponse): boolean {
  return httpStatusCode >= 400;
}

function halted({ referenceId }: { referenceId: string }): Subresponse {
  const message =
    'The transaction was rolled back since another operation in the same transaction failed.';
  return {
    body: [{ errorCode: 'PROCESSING_HALTED', message }],
    httpHeaders: {},
    httpStatusCode: 400,
    referenceId,
  };
}
