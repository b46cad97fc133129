import { FatalError } from '../src/core/errors.ts';

export interface Opened<Session> {
  /** Throws a FatalError once it is closed. */
  session(): Session;
  /** Calling it twice does no harm. */
  close(): Promise<void>;
}

/** Keeps a session for a connector. `end` is called when it is closed. */
export function keepOpen<Session>(
  session: Session,
  end: (session: Session) => void | Promise<void>,
): Opened<Session> {
  let isOpen = true;
  return {
    session() {
      if (isOpen) return session;
      throw new FatalError('A connector was used after close.', { code: 'connector_closed' });
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await end(session);
    },
  };
}
