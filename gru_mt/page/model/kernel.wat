;; Products of int8 weights with rows of int16 inputs, four outputs at a time:
;;
;;   y[r][o] = (sum over i of weight[o][i] * x[r][i]) / factor[r] * scale[o] + bias[o]
;;
;; R rows, I inputs (a multiple of 8), O outputs. weight_OI is int8 and x_RI int16; scale_O, bias_O,
;; factor_R and y_RO are fp32. Addresses are in bytes. A row of y has room for O rounded up to a
;; multiple of 4; an output that does not exist reads what comes after the weights, and means nothing.
(module
  (import "page" "memory" (memory 1))
  (func (export "product")
    (param $weight i32) (param $scale i32) (param $bias i32)
    (param $x i32) (param $factor i32) (param $y i32)
    (param $rows i32) (param $inputs i32) (param $outputs i32)
    (local $row i32) (local $out i32) (local $width i32)  ;; width: bytes of a row of y
    (local $at i32) (local $stop i32) (local $x_at i32)
    (local $x8 v128) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $width
      (i32.and (i32.add (i32.mul (local.get $outputs) (i32.const 4)) (i32.const 15)) (i32.const -16)))
    (loop $next_outputs
      (local.set $row (i32.const 0))
      (local.set $x_at (local.get $x))
      (loop $next_row
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (local.get $a))
        (local.set $c (local.get $a))
        (local.set $d (local.get $a))
        (local.set $at (local.get $weight))
        (local.set $stop (i32.add (local.get $at) (local.get $inputs)))
        (loop $next_inputs
          (local.set $x8 (v128.load (local.get $x_at)))
          (local.set $a (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (local.get $x8)
            (v128.load8x8_s (local.get $at)))))
          (local.set $b (i32x4.add (local.get $b) (i32x4.dot_i16x8_s (local.get $x8)
            (v128.load8x8_s (i32.add (local.get $at) (local.get $inputs))))))
          (local.set $c (i32x4.add (local.get $c) (i32x4.dot_i16x8_s (local.get $x8)
            (v128.load8x8_s (i32.add (local.get $at)
              (i32.shl (local.get $inputs) (i32.const 1)))))))
          (local.set $d (i32x4.add (local.get $d) (i32x4.dot_i16x8_s (local.get $x8)
            (v128.load8x8_s (i32.add (local.get $at)
              (i32.mul (local.get $inputs) (i32.const 3)))))))
          (local.set $x_at (i32.add (local.get $x_at) (i32.const 16)))
          (local.set $at (i32.add (local.get $at) (i32.const 8)))
          (br_if $next_inputs (i32.lt_u (local.get $at) (local.get $stop))))
        ;; The four parts of a, b, c and d are added up: to a02 b02 a13 b13, and c02 d02 c13 d13.
        (local.set $a (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))
        (local.set $c (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d))))
        (local.set $a (i32x4.add
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a) (local.get $c))
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a) (local.get $c))))
        (v128.store
          (i32.add (local.get $y) (i32.mul (local.get $row) (local.get $width)))
          (f32x4.add
            (f32x4.mul
              (f32x4.div
                (f32x4.convert_i32x4_s (local.get $a))
                (v128.load32_splat (i32.add (local.get $factor)
                  (i32.shl (local.get $row) (i32.const 2)))))
              (v128.load (local.get $scale)))
            (v128.load (local.get $bias))))
        (local.set $row (i32.add (local.get $row) (i32.const 1)))
        (br_if $next_row (i32.lt_u (local.get $row) (local.get $rows))))
      (local.set $weight (i32.add (local.get $weight) (i32.shl (local.get $inputs) (i32.const 2))))
      (local.set $scale (i32.add (local.get $scale) (i32.const 16)))
      (local.set $bias (i32.add (local.get $bias) (i32.const 16)))
      (local.set $y (i32.add (local.get $y) (i32.const 16)))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $next_outputs (i32.lt_u (local.get $out) (local.get $outputs))))))
