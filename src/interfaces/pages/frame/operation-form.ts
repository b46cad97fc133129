/** Creates the routes of forms. The operation behind a form defines its role, input and rules. */
import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import { type ConfigurationError, isConfigurationError } from '../../../core/errors.ts';
import { invalidRequest } from '../../../core/shared-errors.ts';
import type { Acting, Changing, InputSchema } from '../../../operations/kit/operation.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { RequestWaits } from '../../../operations/kit/requests.ts';
import { authorised, getCaller, toOperationDeps } from '../../api/request/caller.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { limitBody, MAX_API_BODY_BYTES, readForm } from '../../api/request/guards.ts';
import type { PageFrame } from './page-app.ts';
import { aboutField } from './refused-forms.ts';

type Form = Record<string, unknown>;

export interface FormOptions<Input extends InputSchema, Result extends z.ZodType> {
  /** Converts the form's fields into the operation's input. By default, the fields remain unchanged. */
  read?: (form: Form, c: Context<HttpEnv>) => object;
  /** Creates the response. If the result contains a value that is shown only once, the response is a page. */
  answer: (
    c: Context<HttpEnv>,
    result: z.output<Result>,
    input: z.output<Input>,
  ) => Promise<Response> | Response;
  /**
   * Creates the response to a refusal that is not the user's mistake, such as a second click. If it returns null, the
   * error is reported.
   */
  refused?: (
    c: Context<HttpEnv>,
    error: ConfigurationError,
    input: z.output<Input>,
  ) => Promise<Response> | Response | null;
}

/**
 * Returns a function that adds forms. Each form in the app carries out one operation. If the operation asks for
 * confirmation, the page asks first.
 */
export function createOperationForms(deps: HttpDeps, frame: PageFrame, app: Hono<HttpEnv>) {
  const world = toOperationDeps(deps);
  return { add };

  /** Adds a form. The operation's subjects are parts of the path, as in `/users/:user/remove`. */
  function add<Input extends InputSchema, Result extends z.ZodType>(
    path: string,
    operation: Changing<Input, Result> | Acting<Input, Result>,
    { read = (form) => form, answer, refused }: FormOptions<Input, Result>,
  ): void {
    const guards = [
      frame.act(operation.role),
      authorised(operation),
      limitBody(MAX_API_BODY_BYTES),
    ];
    app.on(['POST'], [path], ...guards, async (c) => {
      const form = read(await readForm(c), c);
      const input = check(operation.input, { ...form, ...c.req.param() });
      try {
        return await answer(c, await perform(world, getCaller(c), operation, input), input);
      } catch (error) {
        // The decisions page shows the requests that wait for a second user.
        if (error instanceof RequestWaits) return c.redirect('/decisions', 303);
        const next = isConfigurationError(error) ? await refused?.(c, error, input) : null;
        if (next) return next;
        throw error;
      }
    });
  }
}

/** Parses the form. Throws a ConfigurationError (invalid) with the schema's message. */
function check<Input extends InputSchema>(schema: Input, given: Form): z.output<Input> {
  const { data, error } = schema.safeParse(given);
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  const refusal = invalidRequest(issue?.message ?? 'The form is not filled in.');
  throw aboutField(refusal, String(issue?.path[0] ?? ''));
}
