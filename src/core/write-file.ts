/**
 * Writes a file while it is read, as fast as its receiver accepts the parts. Rejects if the receiver has disconnected,
 * or if the parts fail. In that case, the file is not complete.
 */
export type WriteFile = (name: string, parts: AsyncIterable<string>) => Promise<void>;
