/** Builds a complete donor-sync address from the public URL. */
export function publicAddress(publicUrl: string, pathAndQuery: string): string {
  return publicUrl.replace(/(?<!\/)\/+$/, '') + pathAndQuery;
}
