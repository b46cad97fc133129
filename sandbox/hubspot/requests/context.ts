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
    /** A UUID that every error contains. */
    correlationId: string;
    /** The request's token, set by authentication. */
    grant: FoundToken;
  };
}

/** A request to this account. */
export type HubspotContext = Context<HubspotEnv>;

/** Creates a router for a part of the API. */
export function createRouter(): Hono<HubspotEnv> {
  return new Hono<HubspotEnv>();
}

/** The versions of the API that are named after a date. */
export const DATED_VERSIONS = ['2025-09', '2026-03', '2026-09'] as const;

/**
 * Returns the addresses of one part of the CRM in all versions. They differ in more than the number:
 * `/crm/objects/2026-09` but `/crm/v3/objects`.
 */
export function crmPaths(part: string, olderVersions: readonly string[] = ['v3']): string[] {
  return [
    ...DATED_VERSIONS.map((version) => `/crm/${part}/${version}`),
    ...olderVersions.map((version) => `/crm/${version}/${part}`),
  ];
}

/** True if the request uses version 2026-09, which is stricter than earlier versions. */
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

/** Reads the query part of the URL. If a parameter is repeated, its last value applies. */
export function readQuery<Schema extends z.ZodType>(
  c: HubspotContext,
  schema: Schema,
): z.output<Schema> {
  return checkInput(schema, c.req.query());
}

/** Reads a parameter that can be repeated, contain commas, or both. */
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
