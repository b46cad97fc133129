/**
 * Writes a file as fast as the receiver accepts its parts. Rejects if the receiver disconnects or a part fails. The
 * file is then incomplete.
 */
export type WriteFile = (name: string, parts: AsyncIterable<string>) => Promise<void>;
