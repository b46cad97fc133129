import type { Child } from 'hono/jsx';
import type { AreaId } from './areas.ts';

/** The icons of the areas, 16 × 16. Screen readers skip them, because the area's name is next to the icon. */
const LINES: Readonly<Record<AreaId, Child>> = {
  clients: <path d="M2.5 13.5v-8L8 2.5l5.5 3v8M6 13.5V9h4v4.5M1.5 13.5h13" />,
  runs: <path d="M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 1.8V4.5h-2.8" />,
  decisions: <path d="M2.5 3.5h11v8h-6l-3 2.5v-2.5h-2zM5.5 7.3l1.7 1.7 3.3-3.3" />,
  introductions: (
    <path d="M2 13a3.5 3.5 0 0 1 7 0M5.5 8.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4M10 6h4M12 4v4" />
  ),
  networks: (
    <path d="M8 6.5v-2M6.5 9.2 4.4 11M9.5 9.2l2.1 1.8M8 4.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M8 9.8a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4M3.5 14a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M12.5 14a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3" />
  ),
  results: <path d="M2.5 2v11.5H14M5.5 11V8M8.5 11V4.5M11.5 11V6.5" />,
  credits: (
    <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12M10 6c-.4-.7-1.1-1-2-1-1.1 0-2 .5-2 1.5s1 1.3 2 1.5 2 .6 2 1.5-.9 1.5-2 1.5c-.9 0-1.6-.3-2-1M8 4v8" />
  ),
  setup: (
    <path d="M2 4.5h7M12.5 4.5H14M2 11.5h1.5M7 11.5h7M10.7 6.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4M5.2 13.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4" />
  ),
  users: <path d="M3 13.5a5 5 0 0 1 10 0M8 7.5a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4" />,
  audit: <path d="M4 1.8h6l2.5 2.5v9.9H4zM6.5 7h4M6.5 9.5h4M6.5 12H9" />,
};

export function AreaIcon({ area }: { area: AreaId }) {
  return (
    <svg class="area-icon" viewBox="0 0 16 16" aria-hidden="true">
      {LINES[area]}
    </svg>
  );
}
