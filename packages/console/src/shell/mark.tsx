// The mark of Causeway.

export function Mark({ className = 'size-8' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" fill="#0f766e" />
      <path
        d="M4 20h24M7 20v-4a4.5 4.5 0 0 1 9 0v4m0-4a4.5 4.5 0 0 1 9 0v4"
        fill="none"
        stroke="#fff"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
    </svg>
  )
}
