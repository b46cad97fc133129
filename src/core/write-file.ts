/**
 * Writes a file while it is read, as fast as its receiver takes the parts. Rejects if the receiver is gone, or if the
 * parts fail. The file is then not complete.
 */
export type WriteFile = (name: string, parts: AsyncIterable<string>) => Promise<void>;
