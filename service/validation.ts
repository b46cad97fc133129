/**
 * Validates requests as the service document describes. Requests that are too large get a 400, and other invalid
 * requests get a 422 (section 2.8).
 */

import type { Context, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { PartnerEnv } from './context.ts';

/** The maximum number of errors in a 422 response. */
const MAX_ITEMS = 100;

/** One error in a 422 response. */
export interface ValidationItem {
  type: string;
  loc: (string | number)[];
  msg: string;
  input: unknown;
}

/**
 * Simulates the fault `quotePersons`. The service then quotes submitted values in its validation errors. As with every
 * validation error, nothing is charged.
 */
export function quotePersons(): MiddlewareHandler<PartnerEnv> {
  return async (c, next) => {
    const { fault } = c.var;
    if (fault?.kind !== 'quotePersons') return next();
    const { persons } = submittedSchema.parse(c.var.body);
    const items = persons.flatMap((person, index): ValidationItem[] => {
      if (index % fault.every !== 0) return [];
      const name = Object.values(person.name).join(' ');
      const quoted = `${fault.around}${name}${fault.around}`;
      const loc = ['body', 'persons', index, 'name', quoted];
      return [
        { type: `value_error.${quoted}`, loc, msg: `${quoted} is not a name`, input: person },
      ];
    });
    return answerInvalid(c, items);
  };
}

const submittedSchema = z.object({
  persons: z.array(z.looseObject({ name: z.record(z.string(), z.unknown()) })),
});

/**
 * Responds with 400 if the body, or the list `name` in the body, has more than `max` items. The check runs before
 * validation, because a request that is too large must not get a 422 (section 7.2).
 */
export function limitItems(name: string, max: number): MiddlewareHandler<PartnerEnv> {
  return async (c, next) => {
    const count = countItems(c.var.body, name);
    return count > max
      ? c.json({ detail: `Too many items: ${count} in ${name}, at most ${max} are allowed` }, 400)
      : next();
  };
}

/** Counts the items in a list inside the body, or in a body that is a list. Returns 0 if there is no list. */
export function countItems(body: unknown, name: string): number {
  const list = Array.isArray(body) ? body : looseObject.safeParse(body).data?.[name];
  return Array.isArray(list) ? list.length : 0;
}

/**
 * Returns the validation hook of every router. If a request does not match its schema, the hook responds with a 422.
 */
export function answerValidationErrors(
  result: { success: boolean; target: string; error?: z.ZodError },
  c: Context<PartnerEnv>,
): Response | undefined {
  if (result.success || result.error === undefined) {
    return undefined;
  }
  const isBody = result.target === 'json';
  const input = isBody ? c.var.body : result.target === 'query' ? c.req.query() : c.req.param();
  const start = isBody ? 'body' : result.target === 'query' ? 'query' : 'path';
  return answerInvalid(
    c,
    result.error.issues
      .slice(0, MAX_ITEMS)
      .flatMap((issue) => toItems(issue, input, [start]))
      .slice(0, MAX_ITEMS),
  );
}

/** Returns a 422 response. */
export function answerInvalid(c: Context, detail: ValidationItem[]): Response {
  return c.json({ detail }, 422);
}

const looseObject = z.record(z.string(), z.unknown());

type Issue = z.core.$ZodIssue;

/**
 * An error about a union contains the errors of each alternative. The caller probably meant the alternative that
 * matches to the greatest depth.
 */
function toItems(issue: Issue, root: unknown, loc: (string | number)[]): ValidationItem[] {
  const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  if (issue.code === 'invalid_union') {
    const branches = issue.errors.toSorted((a, b) => depth(b) - depth(a));
    return (branches[0] ?? []).flatMap((inner) =>
      toItems({ ...inner, path: [...issue.path, ...inner.path] }, root, loc),
    );
  }
  const input = valueAt(root, path);
  const fullLoc = [...loc, ...path];
  const isChoice = issue.code === 'invalid_value';
  if ((issue.code === 'invalid_type' || isChoice) && input === undefined) {
    return [
      {
        type: 'missing',
        loc: fullLoc,
        msg: 'Field required',
        input: valueAt(root, path.slice(0, -1)) ?? null,
      },
    ];
  }
  return [{ ...describe(issue), loc: fullLoc, input: input ?? null }];
}

function depth(issues: Issue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length));
}

function valueAt(root: unknown, path: (string | number)[]): unknown {
  let value = root;
  for (const key of path) {
    value = Array.isArray(value) ? value[Number(key)] : looseObject.safeParse(value).data?.[key];
  }
  return value;
}

const TYPE_ERRORS: Record<string, { type: string; msg: string }> = {
  string: { type: 'string_type', msg: 'Input should be a valid string' },
  array: { type: 'list_type', msg: 'Input should be a valid list' },
  object: { type: 'model_attributes_type', msg: 'Input should be a valid dictionary or object' },
  number: { type: 'float_type', msg: 'Input should be a valid number' },
  int: { type: 'int_type', msg: 'Input should be a valid integer' },
};

function describe(issue: Issue): { type: string; msg: string } {
  if (issue.code === 'invalid_type') {
    return TYPE_ERRORS[issue.expected] ?? { type: `${issue.expected}_type`, msg: issue.message };
  }
  if (issue.code === 'too_small' && issue.origin === 'array') {
    return {
      type: 'too_short',
      msg: `List should have at least ${issue.minimum} item after validation, not 0`,
    };
  }
  return { type: 'value_error', msg: `Value error, ${issue.message}` };
}
