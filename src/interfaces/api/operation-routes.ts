/** Creates a route for an operation. The operation defines the input, the role, the responses and the description. */
import type { RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import { isoTime } from '../../core/clock.ts';
import type { Role } from '../../core/role.ts';
import { approvalSchema, describeApproval } from '../../decisions/views/approval.ts';
import { listFields, refuseUnknownKeys } from '../../operations/kit/input-fields.ts';
import {
  type Acting,
  asksFirst,
  type CsvView,
  findStream,
  type InputSchema,
  type Operation,
  type OperationOf,
} from '../../operations/kit/operation.ts';
import { perform, performLater, performStream, preview } from '../../operations/kit/perform.ts';
import { RequestWaits } from '../../operations/kit/requests.ts';
import type { Access } from './access.ts';
import { authorised, getCaller, toOperationDeps } from './request/caller.ts';
import type { HttpDeps, HttpEnv } from './request/context.ts';
import { HttpError } from './request/errors.ts';
import { limitBody, MAX_API_BODY_BYTES, requireJsonBody } from './request/guards.ts';
import { createRouter, failure, json, problems, refuseInvalid } from './request/router.ts';
import { sendArchive } from './send-archive.ts';
import { sendStream } from './send-stream.ts';

export const CSV = 'text/csv; charset=utf-8';

export interface RouteOptions {
  method: 'get' | 'post' | 'put' | 'delete';
  /** The path. Subjects are in braces, as in `/v1/users/{user}`. */
  path: string;
  tag: string;
  /** The status, which is 201 for a creation and 202 for work that continues after the response. Defaults to 200. */
  status?: 200 | 201 | 202;
  /** Result keys, such as `approval`, that show that the work is not complete. These results have status 202. */
  later?: readonly string[];
  /** The format if the request has no `Accept` header. Defaults to `json`. */
  form?: 'json' | 'csv';
}

export interface InputRouteOptions<Input extends InputSchema, Result extends z.ZodType = z.ZodType>
  extends RouteOptions {
  /** Returns the address of the created object for the `Location` header. */
  location?(result: z.output<Result>): string;
  /** Input keys whose values come from request headers. */
  headers?: Partial<Record<keyof z.output<Input> & string, string>>;
  /** Stores data that exists only in this process, before the operation. */
  prepare?(input: z.output<Input>): Promise<void>;
  /** Loads the data that the operation has stored, before the response. */
  takeUp?(): Promise<unknown>;
}

/** Returns a function that adds a route for an operation. */
export function createOperationRoutes(deps: HttpDeps, access: Access) {
  const app = createRouter();
  const world = toOperationDeps(deps);
  return { app, add };

  /** Adds a route. An operation with a confirmation question also gets a preview route (`POST …/preview`). */
  function add<Input extends InputSchema, Result extends z.ZodType>(
    operation: OperationOf<Input, Result>,
    options: InputRouteOptions<Input, Result>,
  ): void {
    const { method, path, status = 200, form = 'json', later = [] } = options;
    const { headers = {}, location } = options;
    const guards = [access.requireRole(operation.role), authorised(operation)];
    const reader = inputReader(operation, method, headers);
    if (reader.hasBody) guards.push(requireJsonBody, limitBody(MAX_API_BODY_BYTES));
    const asks = asksFirst(operation);
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.on([method.toUpperCase()], [pattern], ...guards, async (c) => {
      const input = await reader.read(c);
      const caller = getCaller(c);
      const digest = asks ? (c.req.query('digest') ?? '') : undefined;
      if (digest === '') {
        // If an object is missing, the response is the same with and without a digest.
        await preview(world, caller, operation, input);
        throw previewMissing(c);
      }
      await options.prepare?.(input);
      try {
        if (operation.effect === 'acts' && operation.archive !== undefined) {
          return await sendArchive(c, { deps, world }, caller, operation, input);
        }
        if (takesMinutes(operation)) {
          const recorded = await performLater(world, caller, operation, input, digest);
          return c.json({ approval: describeApproval(recorded) }, 202);
        }
        if (findStream(operation) !== undefined && wantsCsv(c, form)) {
          const { file, parts } = await performStream(world, caller, operation, input);
          return await sendStream(c, deps, { file, mediaType: CSV, parts });
        }
        const result = await perform(world, caller, operation, input, digest);
        await options.takeUp?.();
        if (operation.csv !== undefined && wantsCsv(c, form)) {
          return sendCsv(c, operation, { result, input });
        }
        if (location !== undefined) c.header('Location', location(result));
        return c.json(result, isLater(result, later) ? 202 : status);
      } catch (error) {
        if (!(error instanceof RequestWaits)) throw error;
        return c.json({ approval: describeApproval(error.approval) }, 202);
      }
    });
    app.openAPIRegistry.registerPath(describeRoute(operation, options, reader, asks));
    if (!asks) return;
    app.on(['POST'], [`${pattern}/preview`], ...guards, async (c) => {
      const asked = await preview(world, getCaller(c), operation, await reader.read(c));
      if (asked === null) throw new Error(`${operation.name} asks no question.`);
      const { text, counts, digest, until } = asked;
      return c.json({ preview: { question: text, counts, digest, until: isoTime(until) } });
    });
    app.openAPIRegistry.registerPath(describePreview(operation, options, reader));
  }
}

/** Adds a route for an operation that takes minutes. The API records the request, and the service carries it out. */
function takesMinutes<Input extends InputSchema, Result extends z.ZodType>(
  operation: OperationOf<Input, Result>,
): operation is Acting<Input, Result> {
  return operation.effect === 'acts' && operation.takesMinutes === true;
}

function isLater(result: unknown, keys: readonly string[]): boolean {
  return typeof result === 'object' && result !== null && keys.some((key) => key in result);
}

function wantsCsv(c: Context<HttpEnv>, form: 'json' | 'csv'): boolean {
  const supports = ['application/json', 'text/csv'];
  const byDefault = form === 'csv' ? 'text/csv' : 'application/json';
  return accepts(c, { header: 'Accept', supports, default: byDefault }) === 'text/csv';
}

/** Sends a file. The file is never cached, because it may contain names. */
export function sendCsv<Result, Input>(
  c: Context<HttpEnv>,
  { name, csv }: { name: string; csv?: CsvView<Result, Input> },
  { result, input }: { result: Result; input: Input },
): Response {
  if (csv === undefined) throw new Error(`${name} has no CSV file.`);
  return c.body(csv.text(result), 200, {
    'Cache-Control': 'no-store',
    'Content-Type': CSV,
    'Content-Disposition': `attachment; filename="${csv.file(result, input)}"`,
  });
}

function previewMissing(c: Context<HttpEnv>): HttpError {
  return new HttpError(
    422,
    'preview_missing',
    `Nothing was changed. First request a preview: POST ${c.req.path}/preview. Then send its digest: ?digest=DIGEST`,
  );
}

type InputReader<Input extends InputSchema> = ReturnType<typeof inputReader<Input>>;

/**
 * Returns a function that reads the input. Subjects come from the path. All values except the subjects come from the
 * query of a GET or from a JSON body.
 */
function inputReader<Input extends InputSchema>(
  { input, subjects }: Pick<OperationOf<Input, z.ZodType>, 'input' | 'subjects'>,
  method: RouteOptions['method'],
  headerNames: Readonly<Record<string, string | undefined>>,
) {
  const isSubject = (key: string) => subjects.some((subject) => subject === key);
  const shape = Object.entries(input.shape);
  const params: InputSchema = z.object(Object.fromEntries(shape.filter(([key]) => isSubject(key))));
  const named = Object.entries(headerNames).flatMap(([key, name]) => (name ? [{ key, name }] : []));
  const headers: InputSchema = z.object(
    Object.fromEntries(
      named.flatMap(({ key, name }) => {
        const schema = input.shape[key];
        return schema === undefined ? [] : [[name, schema]];
      }),
    ),
  );
  const others = shape.filter(([key]) => !isSubject(key) && headerNames[key] === undefined);
  const isQuery = method === 'get';
  const rest: InputSchema = z.strictObject(
    Object.fromEntries(others),
    refuseUnknownKeys(
      isQuery ? 'filter' : 'field',
      others.map(([key]) => key),
    ),
  );
  const fields = listFields(rest);
  const hasBody = !isQuery && fields.length > 0;
  return { params, rest, headers, isQuery, hasBody, hasRest: fields.length > 0, read };

  async function read(c: Context<HttpEnv>): Promise<z.output<Input>> {
    const subject = check(c, 'param', params, c.req.param());
    const given = isQuery ? readQuery(c) : hasBody ? await readBody(c) : {};
    const more = check(c, isQuery ? 'query' : 'json', rest, given);
    return { ...subject, ...more, ...readHeaders(c) } as z.output<Input>;
  }

  function readHeaders(c: Context<HttpEnv>): Record<string, unknown> {
    const sent = Object.fromEntries(
      named.flatMap(({ name }) => {
        const text = c.req.header(name);
        return text === undefined ? [] : [[name, text]];
      }),
    );
    const read = check(c, 'header', headers, sent);
    return Object.fromEntries(named.map(({ key, name }) => [key, read[name]]));
  }

  function readQuery(c: Context<HttpEnv>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(c.req.query()).map(([key, text]) => {
        const kind = fields.find((field) => field.key === key)?.kind;
        if (kind === 'list') return [key, text.split(',')];
        if (kind === 'flag') return [key, text === 'true' || (text === 'false' ? false : text)];
        return [key, kind === 'number' && text !== '' ? Number(text) : text];
      }),
    );
  }
}

function check(c: Context<HttpEnv>, target: string, schema: InputSchema, given: unknown) {
  const parsed = schema.safeParse(given);
  if (!parsed.success) refuseInvalid({ success: false, target, error: parsed.error }, c);
  return parsed.data ?? {};
}

async function readBody(c: Context<HttpEnv>): Promise<unknown> {
  const text = await c.req.text();
  if (text === '') {
    // If the content type is different, the caller may have sent a body that was lost.
    const type = c.req.header('content-type') ?? 'application/json';
    if (!/^application\/([\w.-]+\+)?json(;|$)/i.test(type.trim())) throw new HTTPException(415);
    return {};
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new HTTPException(400);
  }
}

function describeRoute(
  operation: Operation,
  { method, path, tag, status = 200, later = [] }: RouteOptions,
  reader: InputReader<InputSchema>,
  asks: boolean,
): RouteConfig {
  const digest = z.object({
    digest: z.string().describe('The digest of the preview, at most ten minutes old'),
  });
  return {
    method,
    path,
    tags: [tag],
    summary: operation.summary,
    operationId: toId(operation.name),
    description: describeAccess(operation),
    request: { ...describeInput(reader), ...(asks && { query: digest }) },
    responses: {
      ...(!takesMinutes(operation) && describeResults(operation, status, later)),
      ...describeRecorded(operation),
      ...commonProblems(operation, reader),
    },
  };
}

/** Describes the responses. In a union, results with these keys have status 202. */
function describeResults(
  operation: Operation,
  status: number,
  later: readonly string[],
): RouteConfig['responses'] {
  const { result } = operation;
  if (!(result instanceof z.ZodUnion) || later.length === 0) {
    return { [status]: describeResult(operation) };
  }
  const options = result.options.filter((option) => option instanceof z.ZodObject);
  const has = ({ shape }: z.ZodObject) => later.some((key) => Object.hasOwn(shape, key));
  const now = z.union(options.filter((option) => !has(option)));
  return {
    [status]: describeResult({ ...operation, result: now }),
    202: {
      description: 'The request is waiting, and nothing has been changed yet.',
      ...json(z.union(options.filter(has))),
    },
  };
}

function describeResult(operation: Operation) {
  if (operation.effect === 'acts' && operation.archive !== undefined) {
    const schema = z.string().openapi({ format: 'binary' });
    return {
      description: 'All files in one ZIP file.',
      content: { 'application/zip': { schema } },
    };
  }
  const { result, csv } = operation;
  const { content } = json(result);
  const hasFile = csv !== undefined || findStream(operation) !== undefined;
  const file = hasFile && { 'text/csv': { schema: z.string() } };
  return { description: 'Done.', content: { ...content, ...file } };
}

const recordedSchema = z.object({ approval: approvalSchema });

function describeRecorded(operation: Operation) {
  const isLong = takesMinutes(operation);
  const mayWait = operation.effect !== 'reads' && operation.secondUser !== undefined;
  if (!isLong && !mayWait) return {};
  const words = [
    ...(mayWait
      ? [
          'The request might have to wait for a second user. In that case, nothing has been done yet.',
        ]
      : []),
    ...(isLong ? ['The service carries it out; `GET /v1/approvals/ID` has its result.'] : []),
  ];
  return { 202: { description: words.join(' '), ...json(recordedSchema) } };
}

const previewSchema = z
  .object({
    question: z.string(),
    counts: z.record(z.string(), z.int()),
    digest: z.string().describe('Send it with the action, as the parameter `digest`'),
    until: z.iso.datetime().describe('When the digest expires'),
  })
  .openapi('Preview');

function describePreview(
  operation: Operation,
  { path, tag }: RouteOptions,
  reader: InputReader<InputSchema>,
): RouteConfig {
  return {
    method: 'post',
    path: `${path}/preview`,
    tags: [tag],
    summary: `Preview: ${operation.summary}`,
    operationId: `${toId(operation.name)}Preview`,
    description: `Changes nothing. ${describeAccess(operation)}`,
    request: describeInput(reader),
    responses: {
      200: { description: 'The preview.', ...json(z.object({ preview: previewSchema })) },
      ...commonProblems(operation, reader),
    },
  };
}

function describeInput(reader: InputReader<InputSchema>) {
  const { params, rest, headers, isQuery, hasBody, hasRest } = reader;
  const required = listFields(rest).some(({ isRequired }) => isRequired);
  return {
    params,
    ...(Object.keys(headers.shape).length > 0 && { headers }),
    ...(hasBody && { body: { required, ...json(rest) } }),
    ...(isQuery && hasRest && { query: rest }),
  };
}

function commonProblems(operation: Operation, { hasBody }: InputReader<InputSchema>) {
  return {
    ...problems.access,
    ...problems.invalid,
    ...((operation.subjects.length > 0 || 'integration' in operation.input.shape) &&
      problems.notFound),
    ...(operation.effect !== 'reads' && {
      409: failure('The current state does not allow this, or it has changed.'),
    }),
    ...(hasBody && { ...problems.body, 415: failure('The body is not JSON.') }),
  };
}

const FOR_ROLES: Readonly<Record<Role, string>> = {
  viewer: 'For all users and access tokens.',
  reader: 'For all users and access tokens except viewers.',
  decider: 'For deciders, admins and owners.',
  admin: 'For admins and owners.',
  owner: 'For owners.',
};

function describeAccess({ role, by, reach, details }: Operation): string {
  const words = [...(details === undefined ? [] : [details]), FOR_ROLES[role]];
  if (reach === 'all') words.push('Only for callers with access to all clients.');
  if (by === 'person') words.push('Not with an access token.');
  return words.join(' ');
}

/**
 * Converts an operation's name into a name for programs. For example, `users passkeys remove` becomes
 * `usersPasskeysRemove`.
 */
function toId(name: string): string {
  return name.replaceAll(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase());
}
