// The camera of the phone or computer, where the browser lets the page use it.

import { useEffect, useRef, useState } from 'react'
import { useTexts } from '../parts/context.ts'

type Props = { label: string; onShot: (shot: Blob) => void; onClose: () => void }

/** The camera at the back of a phone, in a size in which print can be read. */
const wanted = { video: { facingMode: 'environment', width: { ideal: 1_920 } }, audio: false }

export function Camera({ label, onShot, onClose }: Props) {
  const texts = useTexts()
  const video = useRef<HTMLVideoElement>(null)
  const [state, setState] = useState<'opening' | 'ready' | 'refused'>('opening')
  useEffect(() => {
    let stream: MediaStream | null = null
    let isGone = false
    const stop = (): void => {
      for (const track of stream?.getTracks() ?? []) track.stop()
    }
    const open = async (): Promise<void> => {
      stream = await navigator.mediaDevices.getUserMedia(wanted)
      if (isGone || video.current === null) return stop()
      video.current.srcObject = stream
      await video.current.play()
      setState('ready')
    }
    open().catch(() => setState('refused'))
    return () => {
      isGone = true
      stop()
    }
  }, [])
  const shoot = (): void => {
    if (video.current === null) return
    const canvas = document.createElement('canvas')
    canvas.width = video.current.videoWidth
    canvas.height = video.current.videoHeight
    canvas.getContext('2d')?.drawImage(video.current, 0, 0)
    canvas.toBlob((shot) => shot && onShot(shot), 'image/jpeg', 0.95)
  }
  return (
    <div className="camera">
      {state === 'refused' ? (
        <p className="problem" role="alert">
          {texts.photo.noCamera}
        </p>
      ) : (
        <video ref={video} muted playsInline aria-label={label} />
      )}
      <div className="pair">
        <button type="button" className="primary" disabled={state !== 'ready'} onClick={shoot}>
          {texts.photo.shoot}
        </button>
        <button type="button" className="secondary" onClick={onClose}>
          {texts.photo.cancel}
        </button>
      </div>
    </div>
  )
}
