import { FatalError } from '../src/core/errors.ts';

/** The session that `prepare` has opened. Throws a FatalError if there is none, or none any more. */
export function requirePrepared<Session>(opened: Session | null): Session {
  if (opened !== null) return opened;
  throw new FatalError('A connector was used before prepare or after close.', {
    code: 'connector_not_prepared',
  });
}
