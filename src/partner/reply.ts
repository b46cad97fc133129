import type { z } from 'zod';
import { AnswerLost, ReplyUnreadable } from './errors.ts';
import type { Reply } from './send.ts';
import { toldPath } from './validation-words.ts';

/**
 * The reply in the shape of the schema; otherwise an error that names the field and endpoint:
 * `ReplyUnreadable`, or `AnswerLost` where credits may have been spent on it.
 */
export function parseReply<Schema extends z.ZodType>(
  schema: Schema,
  reply: Reply,
): z.output<Schema> {
  const parsed = schema.safeParse(reply.json);
  if (parsed.success) return parsed.data;
  throw unreadable(reply, problemOf(parsed.error));
}

/** The error of a reply that lacks something. */
export function unreadable({ endpoint, charges }: Reply, problem: string): Error {
  return charges === null
    ? new ReplyUnreadable(endpoint, problem)
    : new AnswerLost(endpoint, charges, problem, null);
}

/**
 * What is wrong with a reply: the first field that is, and how. Values are left out, because they
 * may be about a person.
 */
export function problemOf(error: z.ZodError, within = ''): string {
  const [issue] = error.issues;
  const field = [within, toldPath(issue?.path ?? [])].filter((part) => part !== '').join('.');
  const expected =
    issue?.code === 'invalid_type' ? `${issue.expected} expected` : 'unexpected value';
  return `${field || 'the body'} is missing or malformed (${expected})`;
}
