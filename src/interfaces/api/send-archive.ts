/** Sends a ZIP file while its files are being written. */
import type { Context } from 'hono';
import type { z } from 'zod';
import type { Caller } from '../../operations/kit/caller.ts';
import type { Acting, InputSchema } from '../../operations/kit/operation.ts';
import { type OperationDeps, perform } from '../../operations/kit/perform.ts';
import type { HttpDeps, HttpEnv } from './request/context.ts';
import { sendStream } from './send-stream.ts';
import { createZip } from './zip.ts';

/**
 * Carries out an operation while its files are being sent. Throws errors before the first file. Later errors close the
 * connection. If the caller disconnects, the operation stops.
 */
export async function sendArchive<Input extends InputSchema, Result extends z.ZodType>(
  c: Context<HttpEnv>,
  { deps, world }: { deps: Pick<HttpDeps, 'log'>; world: OperationDeps },
  caller: Caller,
  operation: Acting<Input, Result>,
  input: z.output<Input>,
): Promise<Response> {
  const { archive } = operation;
  if (archive === undefined) throw new Error(`${operation.name} writes no files.`);
  const zip = await createZip(world.clock.now());
  perform({ ...world, writeFile: zip.add }, caller, operation, input).then(zip.finish, zip.abort);
  return sendStream(c, deps, {
    file: archive(input),
    mediaType: 'application/zip',
    parts: zip.bytes,
  });
}
