/** Builds a full address of donor-sync from the public URL. */
export function publicAddress(publicUrl: string, pathAndQuery: string): string {
  return publicUrl.replace(/(?<!\/)\/+$/, '') + pathAndQuery;
}
