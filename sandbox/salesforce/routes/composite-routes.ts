/** `/composite`: several requests in one. */

import { Hono } from 'hono';
import { z } from 'zod';
import { SalesforceError } from '../core/errors.ts';
import type { Org } from '../org/org.ts';
import type { SalesforceContext, SalesforceEnv } from '../requests/context.ts';
import { readJson } from '../requests/json-values.ts';
import type { Turns } from '../requests/turns.ts';

const MAX_SUBREQUESTS = 25;

const compositeSchema = z.object({
  allOrNone: z.boolean().default(false),
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

type Subrequest = z.output<typeof compositeSchema>['compositeRequest'][number];

/** Sends a request through the API again, as the same client. */
export type Dispatch = (c: SalesforceContext, request: Request) => Promise<Response>;

/** The resource of composite requests. */
export function compositeRoutes(org: Org, turns: Turns, dispatch: Dispatch): Hono<SalesforceEnv> {
  const router = new Hono<SalesforceEnv>();
  router.post('/composite', async (c) => {
    const { allOrNone, compositeRequest } = readJson(compositeSchema, c.var.body);
    if (compositeRequest.length > MAX_SUBREQUESTS) {
      throw new SalesforceError(
        400,
        'LIMIT_EXCEEDED',
        `The maximum number of subrequests is ${MAX_SUBREQUESTS}`,
      );
    }
    const work = () => runAll(c, org, allOrNone, compositeRequest, dispatch);
    // Work of other requests in between would be taken back with that of this one.
    return c.json({ compositeResponse: await (allOrNone ? turns.alone(work) : work()) });
  });
  return router;
}

interface Subresponse {
  body: unknown;
  httpHeaders: Record<string, string>;
  httpStatusCode: number;
  referenceId: string;
}

/** With `allOrNone` nothing stays of it if one subrequest fails, and those after it are not tried. */
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

/** `@{refId.field}` stands for a value in the answer to an earlier subrequest. */
function fillIn(text: string, before: readonly Subresponse[]): string {
  return text.replaceAll(/@\{(\w+)\.([^}]+)\}/g, (whole, referenceId: string, path: string) => {
    const found = before.find((one) => one.referenceId === referenceId);
    if (found === undefined) return whole;
    const value = valueAt(found.body, path);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
  });
}

/** The value at a path such as `records[0].Id`. */
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
