/** The data about a request while the account handles it. */

import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { HubspotError, validationError } from '../core/errors.ts';
import type { HubspotFault } from './faults.ts';
import type { FoundToken } from './tokens.ts';

/** The Hono environment of the account. */
export interface HubspotEnv {
  Bindings: HttpBindings;
  Variables: {
    fault: HubspotFault | undefined;
    /** A UUID, which every error response contains. */
    correlationId: string;
    /** The token of the request, which the authentication middleware sets. */
    grant: FoundToken;
  };
}

/** A request to this account. */
export type HubspotContext = Context<HubspotEnv>;

/** Creates a router for a part of the API. */
export function createRouter(): Hono<HubspotEnv> {
  return new Hono<HubspotEnv>();
}

/** The API versions whose names are dates. */
export const DATED_VERSIONS = ['2025-09', '2026-03', '2026-09'] as const;

/**
 * Returns the paths of one part of the CRM API in all versions. The order of the path's parts also differs, as in
 * `/crm/objects/2026-09` and `/crm/v3/objects`.
 */
export function crmPaths(part: string, olderVersions: readonly string[] = ['v3']): string[] {
  return [
    ...DATED_VERSIONS.map((version) => `/crm/${part}/${version}`),
    ...olderVersions.map((version) => `/crm/${version}/${part}`),
  ];
}

/** Returns true if the request uses API version 2026-09, which is stricter than earlier versions. */
export function isStrictVersion(c: HubspotContext): boolean {
  return c.req.path.includes('/2026-09');
}

/**
 * Reads the JSON body. Throws a 415 if its content type is not JSON, and a 400 if the body does not match the schema.
 */
export async function readBody<Schema extends z.ZodType>(
  c: HubspotContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  const contentType = c.req.header('content-type') ?? '';
  if (!/^application\/([\w.-]+\+)?json\b/i.test(contentType)) {
    throw new HubspotError(415, 'VALIDATION_ERROR', 'HTTP 415 Unsupported Media Type');
  }
  return checkInput(schema, parseJson(await c.req.text()));
}

/** Parses the query of the URL. If a parameter occurs several times, the last value is used. */
export function readQuery<Schema extends z.ZodType>(
  c: HubspotContext,
  schema: Schema,
): z.output<Schema> {
  return checkInput(schema, c.req.query());
}

/** Reads a parameter that can occur several times and can contain commas. */
export function readNames(c: HubspotContext, parameter: string): string[] {
  const values = c.req.queries(parameter) ?? [];
  return values
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter(Boolean);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw validationError('Invalid input JSON on line 1, column 1: the body is no JSON', {
      cause: error,
    });
  }
}

function checkInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const errors = result.error.issues.map(({ message, path, code }) => ({
    message,
    code: code.toUpperCase(),
    in: path.join('.'),
  }));
  const [first] = errors;
  throw validationError(`Invalid input JSON on line 1, column 1: ${first?.in}: ${first?.message}`, {
    errors,
  });
}
