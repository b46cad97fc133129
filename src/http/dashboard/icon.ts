/** The mark of the product: two arcs that follow each other round a heart of the matter. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#0f6b5c"/>
<g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round">
<path d="M7.5 15a8.6 8.6 0 0 1 14.8-5.2"/><path d="M24.5 17a8.6 8.6 0 0 1-14.8 5.2"/>
</g>
<path d="M23.6 5.6v5h-5z" fill="#fff"/><path d="M8.4 26.4v-5h5z" fill="#fff"/>
<circle cx="16" cy="16" r="2.6" fill="#fff"/>
</svg>
`;
