// Says that there is more than the list shows. Rows never move under their reader.

import { ArrowUp } from 'lucide-react'

export function NewsBar({ count, noun, onShow }: { count: number; noun: string; onShow: () => void }) {
  return (
    <div role="status">
      {count > 0 && (
        <button
          type="button"
          onClick={onShow}
          className="flex w-full items-center justify-center gap-1.5 border-line border-b bg-accent-soft px-4 py-2 font-medium text-accent text-xs hover:underline"
        >
          <ArrowUp aria-hidden="true" className="size-3.5" />
          Show {count === 1 ? `1 new ${noun}` : `${count} new ${noun}s`}
        </button>
      )}
    </div>
  )
}
