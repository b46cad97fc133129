/** Returns true if `error` is one of Node's system errors with this code, for example `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
