import { FatalError } from '../src/core/errors.ts';

export interface Opened<Session> {
  /** Returns the session. Throws a FatalError if the connector has been closed. */
  session(): Session;
  /** Closes the session. Calling the function twice is harmless. */
  close(): Promise<void>;
}

/** Stores the session of an open connector. When the connector is closed, the function `end` is called. */
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
