import type { ErrorTopic } from './explanation.ts';

const WEBHOOKS = 'docs/guides/webhooks.md';
const SIGNATURES = 'docs/guides/webhooks.md#curl-and-your-own-programs';

const DOOR = 'docs/guides/hubspot-card.md';

/** Requests to the HTTP API, to the pages and to webhook addresses. */
export const REQUEST_ERRORS: ErrorTopic = {
  document: 'docs/guides/http-api.md#errors',
  codes: {
    body_not_json: {
      means: 'The body of the request is not marked as JSON. Nothing was done.',
      next: 'Send the header `Content-Type: application/json`.',
    },
    body_too_large: {
      means: 'The body of the request or the uploaded file is too large. It was not read.',
      next: 'Send less data at once. The operator can copy a large file to the machine and enter its path in the settings.',
    },
    body_unreadable: {
      means: 'The body of the request is not valid JSON or not a valid form. Nothing was done.',
      next: 'Correct the body and send the request again.',
    },
    cursor_invalid: {
      means: 'The cursor does not belong to this list. Nothing was read.',
      next: 'Start again without a cursor. To get the next page, send the cursor exactly as you received it.',
    },
    door_account_unknown: {
      means:
        'The call came from a CRM account that no client has synced yet. Nothing was read or changed.',
      next: 'Connect a client to this account, and wait until its first run has finished.',
      document: DOOR,
    },
    door_address_unsafe: {
      means:
        'HubSpot calls only https addresses, and the address of this installation is not one. No file was written.',
      next: 'Set `server.publicUrl` to an https address, or confirm an https address under *Users* → *Address*.',
      document: DOOR,
    },
    door_call_refused: {
      means:
        'A call from the CRM contains the ID of a different app, is incomplete, or contains a parameter twice. Nothing was read or changed.',
      next: 'Compare `hubspot.appId` in the settings with the app ID, and install the app again.',
      document: DOOR,
    },
    door_call_repeated: {
      means:
        'The CRM sent a request for a card that donor-sync had already responded to. Nothing was read or changed.',
      next: 'Reload the record in the CRM.',
      document: DOOR,
    },
    door_link_invalid: {
      means:
        'The link has already been used, is older than ten minutes, or is incomplete. Nothing was linked.',
      next: 'Reload the record in the CRM, and follow the new link.',
      document: DOOR,
    },
    door_missing: {
      means:
        'There is no app for this CRM in the settings, so its calls cannot be verified. Nothing was done.',
      next: 'Set `hubspot.appId` and `hubspot.clientSecret`.',
      document: DOOR,
    },
    door_user_unlinked: {
      means:
        'The CRM user is not linked to a donor-sync user, or the donor-sync user has no access to the client. Nothing was changed.',
      next: 'Follow the link on the card. If it is already linked, an owner can give access to the client.',
      document: DOOR,
    },
    export_too_slow: {
      means:
        'The export took too long to download. No run of the client could start during that time. The files are incomplete.',
      next: 'Repeat the export over a faster connection, or run `donor-sync export everything` on the server.',
    },
    hook_exists: {
      means:
        'The client already has a webhook address, and callers could no longer use it if you created a new one. Nothing was changed.',
      next: 'Run `donor-sync hooks rotate ID` to replace the address.',
      document: WEBHOOKS,
    },
    hook_missing: {
      means: 'The client has no webhook address. Nothing was changed.',
      next: 'Run `donor-sync hooks create ID`.',
      document: WEBHOOKS,
    },
    hook_secret_missing: {
      means:
        "The CRM signs its calls with the app's secret, which you did not provide. No address was created.",
      next: 'Put the secret in an environment variable, and name the variable with `--secret-env`.',
      document: 'docs/guides/webhooks.md#hubspot-workflow',
    },
    hook_unknown: {
      means: 'This webhook address does not exist or was revoked. No run was started.',
      next: 'Run `donor-sync hooks create ID` and give the new address to the caller.',
      document: WEBHOOKS,
    },
    host_unknown: {
      means:
        "The request was sent to a host name that is not one of this server's. Nothing was done.",
      next: 'Use the address under *Users* → *Address*, or in `server.publicUrl`. If that address is wrong, correct it there.',
      document: 'docs/guides/http-api.md#behind-a-proxy',
    },
    idempotency_key_reused: {
      means: 'The Idempotency-Key has already been used for another request. No run was started.',
      next: 'Send a new key with a new request.',
      document: 'docs/guides/http-api.md#runs',
    },
    internal_error: {
      means: 'The service failed unexpectedly. The details are only in its log.',
      next: "Find the request's ID in the donor-sync log, and report the error.",
    },
    method_not_allowed: {
      means: 'This address does not accept this HTTP method. Nothing was done.',
      next: 'Use one of the methods in the `Allow` header.',
    },
    not_found: {
      means: 'There is nothing at this address.',
      next: 'Check the path: `GET /v1/openapi.json` lists the addresses.',
    },
    origin_foreign: {
      means: 'The request came from another website, so it was refused. Nothing was done.',
      next: 'Open donor-sync directly and start there. If you already did, check `server.publicUrl` and the proxy.',
      document: 'docs/guides/http-api.md#behind-a-proxy',
    },
    plain_http_refused: {
      means:
        'The request was refused, because others on the network could read a password or a token. Nothing was read.',
      next: 'Put a TLS proxy in front of the service, or open the service on the machine where it runs. In a trusted network, set `server.plainHttp: allow`.',
      document: 'docs/guides/http-api.md#signing-in-without-tls',
    },
    preview_missing: {
      means: 'You must first agree to a preview of the action. Nothing was changed.',
      next: 'Request the preview, then send its digest with the request.',
    },
    preview_outdated: {
      means:
        'The action has changed since the preview, or the preview is older than ten minutes. Nothing was changed.',
      next: 'Request the preview again and review it.',
    },
    names_busy: {
      means:
        'The names for the pages that you opened before this one are still loading. No further names were read.',
      next: 'Reload the page in a few seconds.',
    },
    request_broken_off: {
      means: 'The caller ended the connection before the request was complete. Nothing was done.',
      next: 'Send the request again.',
    },
    request_invalid: {
      means: 'Part of the request is missing or invalid. Nothing was changed.',
      next: 'Correct the fields in the message.',
    },
    search_busy: {
      means: 'Your previous searches for contacts have not finished. Nothing was searched.',
      next: 'Try again in a few seconds.',
    },
    signature_invalid: {
      means: 'The signature of the webhook call does not match its secret. No run was started.',
      next: 'Sign the body exactly as it is sent, with the current secret for the address.',
      document: SIGNATURES,
    },
    signature_missing: {
      means:
        'Calls to this webhook address must be signed, and this call was not. No run was started.',
      next: 'Sign the call with the secret for the address.',
      document: SIGNATURES,
    },
    signature_too_old: {
      means: 'The webhook call was signed more than five minutes ago. No run was started.',
      next: "Create a new signature for each call, and check the caller's clock.",
      document: SIGNATURES,
    },
    timed_out: {
      means: 'The request took longer than the time limit. The action might still be carried out.',
      next: 'Check whether it was done before you send the request again.',
    },
    too_many_listeners: {
      means: 'Too many callers are already following runs.',
      next: 'Try again later, or read the run without following it.',
      document: 'docs/guides/http-api.md#limits',
    },
  },
};
