import { z } from 'zod';
import type { RateLimit } from './key-pace.ts';
import type { Route } from './routes.ts';

/** The parts of an OpenAPI document that donor-sync uses: the operations' paths and their request bodies. */
export interface OpenApi {
  /** Returns the path of a route with the document's spelling, or null if the document does not list the route. */
  getPath(route: Route): string | null;
  /**
   * Returns the name of the list in the request body. Null if the body is the list itself, and undefined if the
   * document does not describe the body.
   */
  getListName(route: Route): string | null | undefined;
  /** Returns the allowed values of a field in a route's JSON body, or null if there is no restriction. */
  allowedValues(route: Route, field: string): string[] | null;
  /** Returns the maximum of a numeric field in a route's JSON body, or null if there is no restriction. */
  getMaximum(route: Route, field: string): number | null;
  /** The rate limit, if the document contains it (as an extension of its `info`). */
  rateLimit: RateLimit | null;
}

const rateLimitSchema = z.object({
  requests_per_second: z.number().positive().nullable(),
  burst: z.int().positive(),
});

export const openApiSchema = z.object({
  info: z.object({ 'x-rate-limit': rateLimitSchema.optional().catch(undefined) }).optional(),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), z.unknown()).optional() }).optional(),
});

const operationSchema = z.object({
  requestBody: z.object({
    content: z.record(z.string(), z.object({ schema: z.unknown().optional() })),
  }),
});

const schemaSchema = z.object({
  $ref: z.string().optional(),
  type: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  enum: z.array(z.unknown()).optional(),
  maximum: z.number().optional().catch(undefined),
  /** The alternatives of a field that may also be null. */
  anyOf: z.array(z.unknown()).optional(),
});

type Schema = z.output<typeof schemaSchema>;

/** The maximum number of references that are followed, because schemas can refer to each other in a cycle. */
const MAX_REFERENCES = 10;

const REFERENCE = /^#\/components\/schemas\/(.+)$/;

/**
 * Reads a parsed OpenAPI document.
 * @param basePath the path of the base URL, which some services repeat in every path.
 */
export function readOpenApi(document: z.output<typeof openApiSchema>, basePath: string): OpenApi {
  const limit = document.info?.['x-rate-limit'];
  return {
    rateLimit: limit ? { ratePerSecond: limit.requests_per_second, burst: limit.burst } : null,
    getPath(route) {
      const [path] = findEntry(route) ?? [];
      return path === undefined ? null : spelling(path, route);
    },
    getListName(route) {
      const body = getBodySchema(route);
      if (body?.type === 'array') return null;
      const properties = body?.properties ?? {};
      if (route.listName && Object.hasOwn(properties, route.listName)) return route.listName;
      const lists = Object.keys(properties).filter((name) => isList(properties[name]));
      return lists.length === 1 ? lists[0] : undefined;
    },
    allowedValues(route, field) {
      const values = listFieldSchemas(route, field).find((schema) => schema.enum)?.enum;
      return values?.filter((value) => typeof value === 'string') ?? null;
    },
    getMaximum(route, field) {
      return (
        listFieldSchemas(route, field).find((schema) => schema.maximum !== undefined)?.maximum ??
        null
      );
    },
  };

  function findEntry(route: Route) {
    const wanted = toPathShape(route.path, '');
    return Object.entries(document.paths).find(
      ([path, methods]) =>
        toPathShape(path, basePath) === wanted &&
        Object.hasOwn(methods, route.method.toLowerCase()),
    );
  }

  /**
   * Returns a path with the document's spelling. Keeps a trailing slash of the path. The base URL itself has no
   * trailing slash.
   */
  function spelling(path: string, route: Route): string {
    const plain = route.path.replace(/\/$/, '');
    return plain !== '' && path.endsWith('/') ? `${plain}/` : plain;
  }

  function getBodySchema(route: Route): Schema | undefined {
    const [, methods] = findEntry(route) ?? [];
    const operation = operationSchema.safeParse(methods?.[route.method.toLowerCase()]);
    return resolve(operation.data?.requestBody.content['application/json']?.schema);
  }

  /** Returns the schemas that may apply to a field of a request body. */
  function listFieldSchemas(route: Route, field: string): Schema[] {
    const schema = resolve(getBodySchema(route)?.properties?.[field]);
    return [schema, ...(schema?.anyOf ?? []).map(resolve)].filter((one) => one !== undefined);
  }

  function resolve(schema: unknown): Schema | undefined {
    let resolved = schemaSchema.safeParse(schema).data;
    for (let step = 0; resolved?.$ref !== undefined && step < MAX_REFERENCES; step++) {
      const name = REFERENCE.exec(resolved.$ref)?.[1];
      resolved = schemaSchema.safeParse(document.components?.schemas?.[name ?? '']).data;
    }
    return resolved;
  }

  function isList(schema: unknown): boolean {
    return resolve(schema)?.type === 'array';
  }
}

/**
 * Returns a path without the base path and without a trailing slash. All parameters of the path get the same name, so
 * that paths can be compared.
 */
function toPathShape(path: string, basePath: string): string {
  const below =
    basePath !== '' && (path === basePath || path.startsWith(`${basePath}/`))
      ? path.slice(basePath.length)
      : path;
  return below.replace(/\{[^{}]*\}/g, '{}').replace(/\/$/, '');
}
